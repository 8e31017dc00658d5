import { join } from 'node:path';
import { newJob, newTrigger } from '../../src';
import { describeOnFlavour, sharedServer } from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import { MIXED_LOADS } from './support/loads';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';
import { mysqlTables } from './support/tables';
import { expectedTriggers, schedule } from './support/workload';

/*
 * Firings of several jobs that share the key of a rate, on three nodes, one of which is killed. As recorded by the jobs, no period contains more
 * starts than the rate allows, no firing is lost, and only runs of the killed node begin twice. With three busy nodes, nearly as many runs begin as
 * the rate allows.
 */

const FIRINGS = 40;
const RATE = { key: 'api', limit: 10, per: 2_000, burst: 3 } as const;
/** Maximum time from firing until the job writes. Milliseconds. */
const TOLERANCE = 200;
const PATIENCE = 90_000;

interface Written {
  readonly line: 'rated' | 'ratedDone';
  readonly number: number;
  readonly at: number;
  readonly recovered: boolean;
}

/** A rate with so many waiting firings that it is always used. */
const BUSY = { firings: 200, rate: { key: 'api', limit: 100, per: 5_000, burst: 10 } } as const;
/** Milliseconds in which the mixed loads also fire: longer than the firings of the rate take. */
const WITHOUT_LOCK = 11_000;
/** Minimum share of the rate that must be used. */
const MIN_SHARE = 0.95;
/** Maximum delay of the last run on a busy machine. Milliseconds. */
const LATE = 1_000;

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
  expect(crowdedOf(times, RATE)).toEqual([]);
  expectNoErrors(await cluster.run([]));
}

/** Starts that are too early, because the period before them already contains as many starts as the limit. */
function crowdedOf(times: readonly number[], { limit, per }: { readonly limit: number; readonly per: number }) {
  return times.filter((at, index) => {
    const before = times[index - limit];
    return before !== undefined && at - before < per - TOLERANCE;
  });
}

async function proveShare(cluster: Cluster): Promise<void> {
  const moreJobs = join(__dirname, 'support/rated-jobs.cjs');
  const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.launch({ name, moreJobs })));
  const from = Date.now() + 500;
  await cluster.withScheduler(async (scheduler) => {
    await schedule(scheduler, expectedTriggers(MIXED_LOADS, from, from + WITHOUT_LOCK));
    const jobs = Array.from({ length: BUSY.firings }, (_, number) => {
      const job = newJob('rated').withIdentity(`rated-${number}`).withRate(BUSY.rate);
      const trigger = newTrigger().withIdentity(`rated-${number}`).startAt(new Date(from));
      return [job.usingJobData({ number, duration: 0 }).build(), [trigger.build()]] as const;
    });
    await scheduler.scheduleJobs(new Map(jobs));
  });
  await expectRest(cluster, nodes);
  const times = linesOf(cluster, 'rated').map(({ at }) => at);
  const sorted = times.toSorted((a, b) => a - b);
  expect(sorted).toHaveLength(BUSY.firings);
  expect(crowdedOf(sorted, BUSY.rate)).toEqual([]);
  const { limit, per, burst } = BUSY.rate;
  const lasted = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) - LATE;
  expect(BUSY.firings / (burst + (lasted * limit) / per)).toBeGreaterThan(MIN_SHARE);
  expectNoErrors(await cluster.run([]));
}

describeOnServerFirst((newTables) => {
  it(
    'runs with a rate never exceed it and are not lost although a node is killed with kill -9',
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});

// Measures time, so it belongs to the long form, where no other test runs at the same time.
if (IS_LONG)
  describeOnFlavour('mariadb', 'on a server', () => {
    it(
      'runs with a rate reach at least 95 % of it while three nodes also fire other triggers',
      async () => inCluster(await mysqlTables(await sharedServer()), QUICK, proveShare, PATIENCE),
      PATIENCE + 20_000,
    );
  });
