import { contest, interleaved } from '../lib/contest.mjs';
import { options } from '../lib/options.mjs';
import { costs, LATENESS, print, reportOf } from '../lib/report.mjs';
import { burstRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';
import { inMemory } from './memory.mjs';

export const usage = `  burst [--n 1000] [--threads 1000] [--batch N] [--nodes 1]
         start lateness of n one-shot triggers that are due at the same instant, with as many concurrent jobs. Each round starts a
         new node.`;

/** A real Quartz with a connection for each of 1,000 threads would measure the connections. */
const CONNECTIONS = 100;

export async function run(args) {
  const chosen = options(args, { n: 1_000, threads: 1_000 });
  if (chosen.store === 'memory') return inMemory(chosen, 'burst');
  const { n, threads, batch, nodes, rounds } = chosen;
  const report = await contest(chosen, async ({ server, sides }) => {
    const measure = (side) =>
      burstRound(side, {
        n,
        nodes,
        threads,
        ...(side.name === 'java' ? { batch: batch ?? n, connections: CONNECTIONS } : { batch }),
      });
    const seen = await interleaved({ label: 'burst', rounds, sides: await sides(), measure });
    const title = `Burst: ${formatNumber(n)} triggers on one instant, ${formatNumber(threads)} concurrent jobs`;
    const figures = [...LATENESS, ['perSecond', 'starts per second', 0], ...costs()];
    return reportOf({ workload: 'burst', title, server, seen, figures, main: 'lateP99', lessIsBetter: true });
  });
  print([report], chosen);
}
