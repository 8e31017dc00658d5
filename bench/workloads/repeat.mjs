import { contest, interleaved, progress } from '../lib/contest.mjs';
import { options } from '../lib/options.mjs';
import { costs, LATENESS, print, reportOf } from '../lib/report.mjs';
import { repeatRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  repeat [--from 500] [--steps 3] [--k K] [--limit 50] [--nodes 1] [--threads 25] [--batch N] [--warm 4] [--seconds 8]
         the largest number of triggers with an interval of 1 s whose p99 start lateness stays below --limit ms. The number grows
         by a factor of 1.6 until it fails twice, and is then bisected in --steps steps. --k: only this number, in --rounds rounds.`;

const GROWTH = 1.6;
/** Of the firings that were due, so many have to have happened. */
const RATE = 0.97;
/** Not even so many: given up. */
const LEAST = 10;

const FIGURES = [['k', 'triggers at 1 s', 0], ['perSecond', 'firings per second', 0], ...LATENESS, ...costs()];

export async function run(args) {
  const chosen = options(args, {
    store: ['mysql', 'sqlite'],
    from: 500,
    steps: 3,
    k: 0,
    limit: 50,
    warm: 4,
    seconds: 8,
  });
  const { threads, batch, nodes, warm, seconds } = chosen;
  const settings = { threads, batch, nodes, warm: warm * 1_000, millis: seconds * 1_000 };
  const probe = (side, k) => repeatRound(side, { ...settings, k });
  const report = await contest(chosen, async ({ server, sides }) => {
    const contestants = await sides();
    const seen = chosen.k > 0 ? await fixed(contestants, chosen, probe) : await search(contestants, chosen, probe);
    return reportOf({
      workload: 'repeat',
      title: title(chosen),
      server,
      seen,
      figures: FIGURES,
      main: chosen.k > 0 ? 'lateP99' : 'k',
      lessIsBetter: chosen.k > 0,
    });
  });
  print([report], chosen);
}

function title({ k, limit, nodes, threads }) {
  const what = k > 0 ? `${formatNumber(k)} triggers` : `the most triggers that are held with p99 under ${limit} ms`;
  return `Repeat every second: ${what}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${threads} concurrent jobs`;
}

const fixed = (sides, { rounds, k }, probe) =>
  interleaved({ label: 'repeat', rounds, sides, measure: (side) => probe(side, k) });

/** Each side looks for its own number, a probe each in turn; what is reported is the largest that was held. */
async function search(sides, chosen, probe) {
  const searches = new Map(sides.map((side) => [side, newSearch(chosen)]));
  const bar = progress(sides.length * (chosen.steps + 4), 'repeat');
  for (let busy = sides; busy.length > 0; busy = sides.filter((side) => !searches.get(side).done)) {
    for (const side of busy) {
      const looking = searches.get(side);
      bar.now(`${side.label}, ${formatNumber(looking.k)} triggers`);
      const seen = await probe(side, looking.k);
      told(side, seen, isHeld(seen, chosen));
      searches.set(side, next(looking, seen, isHeld(seen, chosen)));
      bar.step();
    }
  }
  bar.end();
  return new Map(sides.map((side) => [side, searches.get(side).best === null ? [] : [searches.get(side).best]]));
}

const isHeld = ({ k, perSecond, lateP99 }, { limit }) => lateP99 < limit && perSecond >= RATE * k;

function told({ label }, { k, perSecond, lateP50, lateP99, lateMax }, held) {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.error(
    `${label}, ${formatNumber(k)} triggers: ${held ? 'held' : 'not held'}, ${formatNumber(perSecond)}/s, lateness ${lateP50}/${lateP99}/${lateMax} ms (p50/p99/max)`,
  );
}

const newSearch = ({ from, steps }) => ({ k: from, low: 0, high: null, steps, failed: false, best: null, done: false });

/**
 * A number that failed is tried once more: something else may have kept the machine busy. The halvings count from the first
 * number that was held.
 */
function next(search, seen, held) {
  if (!held && !search.failed) return { ...search, failed: true };
  const { k } = search;
  const bounds = held ? { low: k, best: seen, high: search.high } : { low: search.low, best: search.best, high: k };
  if (bounds.high === null) return { ...search, ...bounds, failed: false, k: Math.round(k * GROWTH) };
  const middle = Math.round((bounds.low + bounds.high) / 2);
  const steps = search.steps - (bounds.best === null ? 0 : 1);
  const done = steps < 0 || bounds.high - bounds.low < 0.03 * bounds.high || middle < LEAST;
  return { ...search, ...bounds, failed: false, k: middle, steps, done };
}
