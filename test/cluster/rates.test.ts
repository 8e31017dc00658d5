import { join } from 'node:path';
import { newJob, newTrigger } from '../../src';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnEngines } from './support/engines';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';

/*
 * Firings of several jobs that share the key of a rate, on three nodes, of which one is killed: by what the jobs have written down, no time of the
 * span sees more begin than the limit says, none is lost, and none is begun twice but what the killed node was running.
 */

const FIRINGS = 60;
const RATE = { key: 'api', limit: 10, per: 2_000, burst: 3 } as const;
/** What a node needs at most, beyond the moment of the rate, from firing until a job writes. Milliseconds. */
const TOLERANCE = 200;
const PATIENCE = 90_000;

interface Written {
  readonly line: 'rated' | 'ratedDone';
  readonly number: number;
  readonly at: number;
  readonly recovered: boolean;
}

const linesOf = (cluster: Cluster, kind: Written['line']) =>
  (cluster.history() as unknown as readonly Written[]).filter(({ line }) => line === kind);

async function prove(cluster: Cluster): Promise<void> {
  const moreJobs = join(__dirname, 'support/rated-jobs.cjs');
  const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.launch({ name, moreJobs })));
  const begun = firstToSee(nodes, 'rated');
  await cluster.withScheduler(async (scheduler) => {
    for (let number = 0; number < FIRINGS; number++) {
      const job = newJob('rated').withIdentity(`rated-${number}`).withRate(RATE).requestRecovery();
      const trigger = newTrigger().withIdentity(`rated-${number}`).startNow();
      await scheduler.scheduleJob(job.usingJobData({ number, duration: 50 }).build(), trigger.build());
    }
  });
  const { node } = await begun;
  await cluster.kill(node);
  await expectRest(
    cluster,
    nodes.filter((each) => each !== node),
  );
  const starts = linesOf(cluster, 'rated');
  const numbers = Array.from({ length: FIRINGS }, (_, number) => number);
  expect([...new Set(linesOf(cluster, 'ratedDone').map(({ number }) => number))].sort((a, b) => a - b)).toEqual(
    numbers,
  );
  const first = starts.filter(({ recovered }) => !recovered).map(({ number }) => number);
  expect(new Set(first).size).toBe(first.length);
  const times = starts.map(({ at }) => at).sort((a, b) => a - b);
  const crowded = times.filter((at, index) => {
    const before = times[index - RATE.limit];
    return before !== undefined && at - before < RATE.per - TOLERANCE;
  });
  expect(crowded).toEqual([]);
  expectNoErrors(await cluster.run([]));
}

describeOnEngines((newTables) => {
  it(
    'lets no more begin in any time of the span than the limit says, although a node is killed -9, and loses none',
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
