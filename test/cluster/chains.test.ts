import { newJob, newTrigger } from '../../src';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { Start } from './support/history';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';

/*
 * A job that asks for its recovery and whose node is killed while it runs; two that wait for it, and one for both. Each of these runs once,
 * when the run has ended that took the place of the first.
 */

const PATIENCE = 60_000;
/** How long the job runs: longer than its first node lives. Milliseconds. */
const DURATION = 2_000;

const startsOf = (cluster: Cluster, name: string) =>
  (cluster.history() as readonly Start[]).filter(({ line, job }) => line === 'start' && job === name);

async function prove(cluster: Cluster): Promise<void> {
  const living = [await cluster.launch({ name: 'n1' }), await cluster.launch({ name: 'n2' })];
  const began = firstToSee(living, 'start extract');
  await cluster.withScheduler(async (scheduler) => {
    const data = { tell: true };
    const follow = async (name: string, parents: readonly string[]) =>
      scheduler.scheduleJob(
        newJob('record').withIdentity(name).usingJobData(data).build(),
        newTrigger().withIdentity(name).afterAll(parents).build(),
      );
    await follow('load', ['extract']);
    await follow('index', ['extract']);
    await follow('report', ['load', 'index']);
    const extract = newJob('record')
      .withIdentity('extract')
      .usingJobData({ ...data, duration: DURATION });
    await scheduler.scheduleJob(extract.requestRecovery().build(), newTrigger().withIdentity('extract').build());
  });
  const { node } = await began;
  await cluster.kill(node);
  const left = living.filter((each) => each !== node);
  await firstToSee(left, 'start report');
  await expectRest(cluster, left, 3);
  expect(startsOf(cluster, 'extract').map(({ recovers }) => recovers !== null)).toEqual([false, true]);
  for (const name of ['load', 'index', 'report']) expect(startsOf(cluster, name)).toHaveLength(1);
  const counted = await cluster.tables.query(
    'SELECT STR_PROP_1 AS counted FROM QRTZ_SIMPROP_TRIGGERS ORDER BY TRIGGER_NAME',
  );
  expect(counted).toEqual(['success 0', 'success 0', 'success 0,0'].map((each) => ({ counted: each })));
  expectNoErrors(await cluster.run([]));
}

describeOnServerFirst((newTables) => {
  it(
    'what waits for a job starts once, although its node is killed and another one runs it again',
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
