import { compared, contest } from '../lib/contest.mjs';
import { databaseOptions, UsageError } from '../lib/options.mjs';
import { costs, LATENESS, print } from '../lib/report.mjs';
import { spreadRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  spread [--k 200] [--nodes 1] [--together 1] [--warm 4] [--seconds 15] [--no-java]
         start lateness, and the cost of a firing, of k triggers with an interval of 1 s, each at its own pseudo-random instant.
         --together: nodes per process (ours only; needs --no-java).`;

const FIGURES = [
  ['perSecond', 'firings per second', 0],
  ['early', 'started before their time', 0],
  ['earliest', 'by at most, ms', 0],
  ...LATENESS,
  ...costs(),
];

export async function run(args) {
  const own = { k: 200, nodes: 1, together: 1, warm: 4, seconds: 15, 'no-java': false };
  const chosen = databaseOptions(args, own);
  const { k, nodes, together, threads, batch, rounds } = chosen;
  if (nodes % together !== 0) throw new UsageError(`--nodes ${nodes}: expected a multiple of --together ${together}.`);
  const times = { warm: chosen.warm * 1_000, millis: chosen.seconds * 1_000 };
  const report = await contest(chosen, async ({ server, sides }) =>
    compared({
      workload: 'spread',
      title: `Spread: ${formatNumber(k)} triggers at 1 s, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${threads} concurrent jobs`,
      server,
      rounds,
      sides: await sides(),
      measure: (side) => spreadRound(side, { k, nodes, processes: nodes / together, threads, batch, ...times }),
      figures: FIGURES,
      main: 'lateP99',
      lessIsBetter: true,
    }),
  );
  print([report], chosen);
}
