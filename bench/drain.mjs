import { databaseServer } from './lib/database-server.mjs';
import { drainRound } from './lib/drain-round.mjs';
import { summaries } from './lib/figures.mjs';
import { options } from './lib/options.mjs';
import { ourSide } from './lib/our-side.mjs';
import { print } from './lib/report.mjs';
import { interleaved } from './lib/rounds.mjs';
import { farRows } from './lib/rows.mjs';
import { formatNumber } from './lib/statistics.mjs';

export const usage = `  drain [--n 4000] [--jobs many|one] [--nodes 1] [--threads 25] [--batch N] [--far 0] [--store mysql|sqlite] [--rounds 3]
         n due one-shot triggers with a job each, or with one job for all; --far more that are due in days.`;

export async function run(args) {
  const chosen = options(args, { n: 4000, jobs: 'many', far: 0, 'max-seconds': 60 });
  const server = chosen.store === 'sqlite' ? null : await databaseServer(chosen.url);
  const sides = [await ourSide(server, ours(chosen))];
  try {
    if (chosen.far > 0) for (const { tables } of sides) await tables.load(farRows(chosen.far, Date.now()));
    const seen = await interleaved({
      label: 'drain',
      rounds: chosen.rounds,
      sides,
      measure: (side) =>
        drainRound(side, {
          ...chosen,
          maxSeconds: chosen['max-seconds'],
          node: { threads: chosen.threads, batch: chosen.batch },
        }),
    });
    print(reportOf(chosen, server, seen), chosen);
  } finally {
    for (const { tables } of sides) await tables.drop();
    await server?.stop();
  }
}

const ours = (chosen) => ({
  settings: Object.fromEntries(
    chosen.set.map((pair) => [`set.${pair.split('=')[0]}`, pair.slice(pair.indexOf('=') + 1)]),
  ),
  nodeArguments: chosen['cpu-prof'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${chosen['cpu-prof']}`],
});

function reportOf({ n, jobs, far, nodes, threads }, server, seen) {
  const kind = jobs === 'many' ? 'one job each' : 'one job for all';
  return {
    workload: 'drain',
    title: `Drain: ${formatNumber(n)} due one-shot triggers, ${kind}, ${far > 0 ? `${formatNumber(far)} far ones, ` : ''}${nodes} node(s), ${threads} concurrent jobs`,
    server: server === null ? 'SQLite, synchronous=FULL' : `${server.version}${server.durable ? '' : ', not durable'}`,
    sides: [...seen].map(([{ name, label }, rounds]) => ({
      name,
      label,
      cut: rounds.some(({ cut }) => cut),
      figures: summaries(rounds),
      rounds,
    })),
    ratios: {},
  };
}
