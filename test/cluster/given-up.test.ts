import { join } from 'node:path';
import { newJob, newTrigger } from '../../src';
import { type Cluster, SCHED_NAME } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { Start } from './support/history';
import { expectRest, inCluster } from './support/proof';
import { pause } from './support/time';

/*
 * The only node is stopped for longer than its lease, so that no other node recovers its runs. Its jobs are aborted all the same, and a job that
 * requests recovery must run again.
 */

const moreJobs = join(__dirname, '../chaos/scenarios/policy-jobs.cjs');
/** A lease of 1.2 s. */
const SHORT = { clusterCheckinInterval: 500, clusterCheckinGrace: 1_000 };
const STOP = 2_000;
/** Duration of the job: longer than STOP. */
const DURATION = 3_000;
const PATIENCE = 60_000;

const startsIn = (cluster: Cluster) => cluster.history().filter((line): line is Start => line.line === 'start');

async function prove(cluster: Cluster): Promise<void> {
  const node = await cluster.launch({ name: 'n1', moreJobs });
  await cluster.withScheduler(async (scheduler) => {
    const job = newJob('plain').withIdentity('again').usingJobData({ duration: DURATION }).requestRecovery();
    const trigger = newTrigger().withIdentity('again').startNow();
    await scheduler.scheduleJob(job.withHistory('all').build(), trigger.build(), { registeredLater: true });
  });
  while (startsIn(cluster).length === 0) await pause(20);
  node.send('SIGSTOP');
  await pause(STOP);
  node.send('SIGCONT');
  await expectRest(cluster, [node]);
  const [first, ...others] = startsIn(cluster);
  expect(others.map(({ recovers }) => recovers)).toEqual([first?.id]);
  const runs = await cluster.tables.query<{ outcome: string; attempt: number }>(
    `SELECT OUTCOME AS outcome, ATTEMPT AS attempt FROM QRTZ_X_RUNS WHERE SCHED_NAME = '${SCHED_NAME}' ORDER BY ENDED_TIME`,
  );
  expect(runs.map(({ outcome, attempt }) => [outcome, Number(attempt)])).toEqual([
    ['lost', 1],
    ['succeeded', 1],
  ]);
}

describeOnServerFirst((newTables) => {
  it(
    'a node that lost its lease recovers its own aborted run if no other node exists',
    async () => inCluster(await newTables(), SHORT, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
