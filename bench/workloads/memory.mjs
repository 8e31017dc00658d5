import { compared } from '../lib/contest.mjs';
import { fireUntil } from '../lib/line-node.mjs';
import { options } from '../lib/options.mjs';
import { print } from '../lib/report.mjs';
import { stopNodes } from '../lib/rounds.mjs';
import { ourNode } from '../lib/sides.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  memory [--n 200000] [--threads 25] [--batch 100]
         n due one-shot triggers in memory, with one job each, and with one job for all. Each round starts a new process.`;

const FIGURES = [
  ['perSecond', 'firings per second', 0],
  ['nodesCpuMs', 'CPU of the node per firing, ms', 4],
];

const SIDES = [
  { name: 'many', label: 'one job each' },
  { name: 'one', label: 'one job for all' },
];

const MAX_SECONDS = 120;

export async function run(args) {
  const chosen = options(args, { n: 200_000, threads: 25, batch: 100 });
  const { n, threads, batch, rounds } = chosen;
  const measure = async ({ name }) => {
    const node = ourNode('fire', { n, threads, batch, jobs: name });
    await node.ready();
    const cut = !(await fireUntil([node], n, MAX_SECONDS));
    return { ...(await stopNodes([node])), cut };
  };
  const title = `Memory: ${formatNumber(n)} due one-shot triggers, ${threads} concurrent jobs`;
  print(
    [await compared({ workload: 'memory', title, rounds, sides: SIDES, measure, figures: FIGURES, main: 'perSecond' })],
    chosen,
  );
}
