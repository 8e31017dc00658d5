import { progress } from './progress.mjs';

/** `rounds` rounds of every side in turn, so that a slow phase of the machine hits all of them; the rounds of each. */
export async function interleaved({ label, rounds, sides, measure }) {
  const seen = new Map(sides.map((side) => [side, []]));
  const bar = progress(rounds * sides.length, label);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        bar.now(side.label);
        seen.get(side).push(await measure(side, round));
        bar.step();
      }
    }
  } finally {
    bar.end();
  }
  return seen;
}
