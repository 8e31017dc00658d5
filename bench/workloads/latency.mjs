import { compared, contest } from '../lib/contest.mjs';
import { fireUntil } from '../lib/line-node.mjs';
import { databaseOptions } from '../lib/options.mjs';
import { costs, print } from '../lib/report.mjs';
import { startNodes, stopNodes, warmRound } from '../lib/rounds.mjs';

export const usage = `  latency [--node both|same|other] [--n 300] [--gap 250] [--no-java]
         time from the call that schedules a job for now to the first line of the job. same: on the called node. other: on another
         node, while the called node is in standby (n / 2 jobs, --gap ms apart).`;

/** A real Quartz polls the table every 30 s at the latest. */
const TIMEOUT_SECONDS = 60;

const FIGURES = [
  ['p50', 'call to first line p50, ms', 1],
  ['p99', 'call to first line p99, ms', 1],
  ['max', 'call to first line max, ms', 1],
  ['callP50', 'of which the call p50, ms', 1],
  ...costs('job'),
];

const PARTS = {
  same: { where: 'the same', measure: sameNode },
  other: { where: 'another', measure: otherNode },
};

export async function run(args) {
  const chosen = databaseOptions(args, { node: ['both', 'same', 'other'], n: 300, gap: 250, 'no-java': false });
  const parts = chosen.node === 'both' ? Object.values(PARTS) : [PARTS[chosen.node]];
  const reports = await contest(chosen, async ({ server, sides }) => {
    const contestants = await sides();
    const all = [];
    for (const { where, measure } of parts)
      all.push(
        await compared({
          workload: 'latency',
          title: `Latency: from the call to the job's first line, on ${where} node`,
          server,
          rounds: chosen.rounds,
          sides: contestants,
          measure: (side) => measure(side, chosen),
          figures: FIGURES,
          main: 'p99',
          lessIsBetter: true,
        }),
      );
    return all;
  });
  print(reports, chosen);
}

function sameNode(side, { n, threads, batch }) {
  return warmRound(side, 'latency', { n, threads, batch });
}

/** By the clock that both processes share: from the trigger's start time, at which it was built. */
async function otherNode(side, { n, gap, threads, batch }) {
  await side.tables.clear();
  await side.tables.settle();
  const count = Math.ceil(n / 2);
  const [runs] = await startNodes(side, 1, { threads, batch });
  const client = side.node('client', { id: 'n2', n: count, gap, threads: 1 });
  await client.ready();
  const toSchedule = async () => {
    await runs.hear((line) => line.startsWith('STARTED'));
    client.say();
    await client.exit();
  };
  const finished = fireUntil([runs], count, (count * gap) / 1_000 + TIMEOUT_SECONDS);
  const [all] = await Promise.all([finished, toSchedule()]);
  const { lateP50: p50, lateP99: p99, lateMax: max } = await stopNodes([runs]);
  return { count, p50, p99, max, cut: !all };
}
