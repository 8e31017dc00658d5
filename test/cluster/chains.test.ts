import { newJob, newTrigger } from '../../src';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { Start } from './support/history';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';

/*
 * The node of a job that requests recovery is killed while the job runs. Two jobs wait for it, and one job waits for both. Each of them runs once,
 * after the recovery has ended.
 */

const PATIENCE = 60_000;
/** Duration of the job: longer than its first node lives. Milliseconds. */
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
    'chained jobs start once although the node of their parent job is killed and the parent is recovered',
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
