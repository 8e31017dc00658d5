import { killAll } from './line-node.mjs';
import { buildFolder } from './our-build.mjs';
import { reportOf } from './report.mjs';
import { databaseServer } from './server.mjs';
import { buildJava, hasJava, javaSide, ourSide } from './sides.mjs';

/**
 * Calls `work` with the description of the server and `sides(name)`, which creates the sides that take part, each in new tables: ours, with
 * `against` the other build, and with `no-java: false` the real Quartz if it is installed. Afterwards, also after Ctrl-C, no process and no
 * database remains.
 */
export async function contest(chosen, work) {
  const build = chosen.against === undefined ? undefined : buildFolder(chosen.against);
  const server = chosen.store === 'mysql' ? await databaseServer(chosen.url, chosen.flavour) : null;
  const java = server !== null && chosen['no-java'] === false && hasJava() ? buildJava() : null;
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
  const settings = settingsOf(chosen.set);
  try {
    return await work({
      server: describe(server),
      sides: async (name = '') => [
        keep(await ourSide(server, { name, settings })),
        ...(build === undefined ? [] : [keep(await ourSide(server, { name: `${name}_against`, settings, build }))]),
        ...(java === null ? [] : [keep(await javaSide(server, java, name))]),
      ],
    });
  } finally {
    await end();
  }
}

function describe(server) {
  if (server === null) return 'SQLite, synchronous=FULL';
  return `${server.version}, ${server.durable ? 'durable' : 'not durable'} commits`;
}

/** `--set key=value`, for our nodes. */
function settingsOf(pairs) {
  return Object.fromEntries(
    pairs.map((pair) => [`set.${pair.slice(0, pair.indexOf('='))}`, pair.slice(pair.indexOf('=') + 1)]),
  );
}

/** Measures every side once in each of `rounds` rounds, in turn, so that a slow phase of the machine hits all of them. Returns the report. */
export async function compared({ rounds, sides, measure, ...report }) {
  const seen = new Map(sides.map((side) => [side, []]));
  const bar = progress(rounds * sides.length, report.workload);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        bar.now(side.label);
        seen.get(side).push(await measure(side));
        bar.step();
      }
    }
  } finally {
    bar.end();
  }
  return reportOf({ seen, ...report });
}

const BAR_WIDTH = 24;

/** Progress of a long measurement, as a line on standard error if that is a terminal. */
export function progress(total, label) {
  let done = 0;
  const show = (text) => {
    if (!process.stderr.isTTY) return;
    const filled = Math.round((done / total) * BAR_WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
    process.stderr.write(`\r\u001b[K${label} ${bar} ${done}/${total} ${text}`);
  };
  return {
    /** Names the current measurement. */
    now: show,
    step() {
      done++;
      show('');
    },
    end() {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    },
  };
}
