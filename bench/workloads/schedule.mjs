import { contest, interleaved } from '../lib/contest.mjs';
import { options } from '../lib/options.mjs';
import { costs, print, reportOf } from '../lib/report.mjs';
import { warmRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  schedule [--bulk N] [--seconds 5]
         one client schedules jobs that are due in a month, as fast as it can: one per call, and in sets of 1,000. --bulk: only in
         sets of N.`;

const FIGURES = [
  ['perSecond', 'triggers per second', 0],
  ['callP50', 'a call p50, ms', 2],
  ['callP99', 'a call p99, ms', 2],
  ...costs('trigger'),
];

export async function run(args) {
  const chosen = options(args, { bulk: Number, seconds: 5 });
  const sizes = chosen.bulk === undefined ? [1, 1_000] : [chosen.bulk];
  const reports = await contest(chosen, async ({ server, sides }) => {
    const contestants = await sides();
    const all = [];
    for (const bulk of sizes) all.push(await reportOn({ ...chosen, bulk, server, contestants }));
    return all;
  });
  print(reports, chosen);
}

async function reportOn({ bulk, server, contestants, seconds, rounds }) {
  const measure = async (side) => {
    await side.tables.clear();
    await side.tables.settle();
    return warmRound(side, side.node('schedule', { bulk, millis: seconds * 1_000 }));
  };
  const label = bulk === 1 ? 'one at a time' : `in sets of ${formatNumber(bulk)}`;
  const seen = await interleaved({ label: `schedule, ${label}`, rounds, sides: contestants, measure });
  return reportOf({
    workload: 'schedule',
    title: `Schedule: ${label}, one client`,
    server,
    seen,
    figures: FIGURES,
    main: 'perSecond',
  });
}
