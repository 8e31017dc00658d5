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
 * Firings of several jobs that share the key of a rate, on three nodes. One of them is killed: by what the jobs have written down, no time of the
 * span sees more begin than the limit says, none is lost, and none is begun twice but what the killed node was running. And with all three busy:
 * nearly as many begin as the limit allows.
 */

const FIRINGS = 40;
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

/** A rate with so much waiting for it that it is never short of work. */
const BUSY = { firings: 200, rate: { key: 'api', limit: 100, per: 5_000, burst: 10 } } as const;
/** Milliseconds in which the mixed loads fire beside it: longer than the rate takes. */
const WITHOUT_LOCK = 11_000;
/** Of what a rate allows, so much has to begin. */
const MIN_SHARE = 0.95;
/** What the last of them may be late because the machine was busy. Milliseconds. */
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

/** The starts that come too early: as many as the limit lie in the time of the rate before them. */
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
    'lets no more begin in any time of the span than the limit says, although a node is killed -9, and loses none',
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});

// A share of time: the long form, whose clusters have the machine for themselves.
if (IS_LONG)
  describeOnFlavour('mariadb', 'on a server', () => {
    it(
      'lets no less begin than 95 % of what the limit says, although three nodes fire a hundred others a second',
      async () => inCluster(await mysqlTables(await sharedServer()), QUICK, proveShare, PATIENCE),
      PATIENCE + 20_000,
    );
  });
