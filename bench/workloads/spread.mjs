import { contest, interleaved } from '../lib/contest.mjs';
import { options, UsageError } from '../lib/options.mjs';
import { costs, LATENESS, print, reportOf } from '../lib/report.mjs';
import { spreadRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  spread [--k 200] [--nodes 1] [--together 1] [--threads 25] [--batch N] [--warm 4] [--seconds 15]
         k triggers at 1 s, each at an instant as if by chance: how late jobs start on how many nodes, and what a firing costs.
         --together so many nodes in each process (ours only; then also --no-java).`;

const FIGURES = [
  ['perSecond', 'firings per second', 0],
  ['early', 'started before their time', 0],
  ['earliest', 'by at most, ms', 0],
  ...LATENESS,
  ...costs(),
];

export async function run(args) {
  const chosen = options(args, { store: ['mysql', 'sqlite'], k: 200, together: 1, warm: 4, seconds: 15 });
  const { k, nodes, together, threads, batch, warm, seconds, rounds } = chosen;
  if (nodes % together !== 0) throw new UsageError(`--nodes ${nodes}: expected a multiple of --together ${together}.`);
  const settings = { k, nodes, together, threads, batch, warm: warm * 1_000, millis: seconds * 1_000 };
  const report = await contest(chosen, async ({ server, sides }) => {
    const seen = await interleaved({
      label: 'spread',
      rounds,
      sides: await sides(),
      measure: (side) => spreadRound(side, settings),
    });
    const title = `Spread: ${formatNumber(k)} triggers at 1 s, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${threads} concurrent jobs`;
    return reportOf({ workload: 'spread', title, server, seen, figures: FIGURES, main: 'lateP99', lessIsBetter: true });
  });
  print([report], chosen);
}
