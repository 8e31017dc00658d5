import { compared, contest } from '../lib/contest.mjs';
import { databaseOptions } from '../lib/options.mjs';
import { costs, print } from '../lib/report.mjs';
import { warmRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  schedule [--bulk N] [--seconds 5] [--no-java]
         one client schedules jobs that are due in a month, as fast as it can: one per call, and in sets of 1,000. --bulk: only in
         sets of N.`;

const FIGURES = [
  ['perSecond', 'triggers per second', 0],
  ['callP50', 'a call p50, ms', 2],
  ['callP99', 'a call p99, ms', 2],
  ...costs('trigger'),
];

export async function run(args) {
  const chosen = databaseOptions(args, { bulk: Number, seconds: 5, 'no-java': false });
  const sizes = chosen.bulk === undefined ? [1, 1_000] : [chosen.bulk];
  const reports = await contest(chosen, async ({ server, sides }) => {
    const contestants = await sides();
    const all = [];
    for (const bulk of sizes)
      all.push(
        await compared({
          workload: 'schedule',
          title: `Schedule: ${bulk === 1 ? 'one at a time' : `in sets of ${formatNumber(bulk)}`}, one client`,
          server,
          rounds: chosen.rounds,
          sides: contestants,
          measure: (side) => warmRound(side, 'schedule', { bulk, millis: chosen.seconds * 1_000 }),
          figures: FIGURES,
          main: 'perSecond',
        }),
      );
    return all;
  });
  print(reports, chosen);
}
