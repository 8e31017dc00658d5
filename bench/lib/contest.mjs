import { killAll } from './line-node.mjs';
import { buildFolder } from './our-build.mjs';
import { databaseServer } from './server.mjs';
import { buildJava, floorSide, javaMissing, javaSide, ourSide } from './sides.mjs';

/**
 * Calls `work` with what is measured on. `sides(name)` makes the sides that take part, ours first, then the real Quartz where
 * it is installed, each in new tables; with `against`, the other build follows ours. `floor()` makes the floor, or nothing where there is none. Whatever happens, also
 * Ctrl-C, nothing is left running or lying about.
 */
export async function contest(chosen, work) {
  const build = chosen.against === undefined ? undefined : buildFolder(chosen.against);
  const server = chosen.store === 'mysql' ? await databaseServer(chosen.url, chosen.flavour) : null;
  const java = server !== null && takesPart(chosen) ? buildJava() : null;
  const made = [];
  const keep = (side) => {
    made.push(side);
    return side;
  };
  const end = async () => {
    killAll();
    for (const { tables } of made.splice(0)) await tables.drop();
    await server?.stop();
  };
  const interrupted = () => end().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
  try {
    return await work({
      server: describe(chosen.store, server),
      sides: async (name = '') => [
        keep(await ourSide(server, { ...chosen, ...extrasOf(chosen), name, java })),
        ...(build === undefined
          ? []
          : [keep(await ourSide(server, { ...chosen, ...extrasOf(chosen), name: `${name}_against`, java, build }))]),
        ...(java === null ? [] : [keep(await javaSide(server, java, name))]),
      ],
      floor: async () => (server === null || chosen['no-floor'] ? [] : [keep(await floorSide(server))]),
    });
  } finally {
    await end();
  }
}

function describe(store, server) {
  if (store === 'memory') return 'In memory';
  if (server === null) return 'SQLite, synchronous=FULL';
  return `${server.version}, ${server.durable ? 'durable' : 'not durable'} commits`;
}

function takesPart(chosen) {
  if (chosen['no-java']) return false;
  const missing = javaMissing(true);
  if (missing !== null) console.error(`Without the real Quartz: ${missing}.`);
  return missing === null;
}

/** `--set key=value` and `--cpu-prof folder`, for our nodes. */
function extrasOf({ set, 'cpu-prof': folder }) {
  const settings = set.map((pair) => [`set.${pair.slice(0, pair.indexOf('='))}`, pair.slice(pair.indexOf('=') + 1)]);
  return {
    settings: Object.fromEntries(settings),
    nodeArguments: folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  };
}

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

/** A line on the terminal's error output that tells how far a long measurement is; silent where nobody looks. */
export function progress(total, label) {
  let done = 0;
  const show = (text) => {
    if (!process.stderr.isTTY) return;
    const width = 24;
    const filled = Math.round((done / total) * width);
    process.stderr.write(
      `\r\u001b[K${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} ${text}`,
    );
  };
  return {
    /** Names what is measured now. */
    now: show,
    step(text = '') {
      done++;
      show(text);
    },
    end() {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    },
  };
}
