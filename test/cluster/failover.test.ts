import { CHAOS_SECONDS, IS_ALONE } from './support/chaos-settings';
import type { Cluster } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import { describeTimes, percentile, report } from './support/figures';
import type { Start } from './support/history';
import { monotonic } from './support/monotonic.cjs';
import type { NodeProcess } from './support/node-process';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';

/*
 * Time from `kill -9` to the first line of the recovered job on another node.
 */

const PACE = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 };
const LIMIT = 4_000;
/** Share of rounds within the limit. A busy machine may delay one of three. */
const SHARE = IS_ALONE ? 0.9 : 0.5;
const ROUND = 5_000;
const ROUNDS = IS_ALONE ? Math.ceil((CHAOS_SECONDS * 1_000) / ROUND) : 3;

/** Kills the node that runs a job. Returns the milliseconds until another node recovers the run. */
async function failOver(cluster: Cluster, living: NodeProcess[], job: string): Promise<number> {
  const first = firstToSee(living, `start ${job}`);
  await living[0]?.command('runOnce', { name: job, data: { duration: 60_000, tell: true }, recovers: true });
  const { node: victim } = await first;
  const others = living.filter((node) => node !== victim);
  const again = firstToSee(others, `start ${job}`);
  const killedAt = monotonic();
  await cluster.kill(victim);
  const { node: heir, mono } = await again;
  await heir.command('call', { method: 'interrupt', args: [job] });
  living[living.indexOf(victim)] = await cluster.start(`after-${job}`);
  return mono - killedAt;
}

const PATIENCE = ROUNDS * 2 * ROUND + 90_000;

async function prove(cluster: Cluster): Promise<void> {
  const living = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
  const times: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) times.push(await failOver(cluster, living, `job-${round}`));
  await expectRest(cluster, living);
  const run = await cluster.run([]);
  const starts = run.history.filter((line): line is Start => line.line === 'start');
  report(`kill -9 to the recovered run, ${describeTimes(times)}`);
  expect(starts.filter(({ recovers }) => recovers === null)).toHaveLength(ROUNDS);
  expect(starts.filter(({ recovers }) => recovers !== null)).toHaveLength(ROUNDS);
  expect(percentile(times, SHARE)).toBeLessThan(LIMIT);
  expectNoErrors(run);
}

describeOnServerFirst((newTables) => {
  it(
    `another node recovers a run within ${LIMIT} ms after kill -9 (check-in 1 s, grace 2 s)`,
    async () => inCluster(await newTables(), PACE, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
