import { join } from 'node:path';
import { newJob, newTrigger } from '../../src';
import { until } from '../support/until';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import { monotonic } from './support/monotonic.cjs';
import type { NodeProcess } from './support/node-process';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';

/*
 * Sharded occurrences on several nodes, some of which are killed. Every part is done, parts of live nodes begin once, parts of a dead node move, and
 * the occurrence ends once. The job does not request recovery. One cluster plays all tests, because processes are expensive.
 */

const SHARDS = 24;
const KILLS = 2;
/** Duration of a part, in milliseconds. Nodes are killed within it. */
const DURATION = 1_500;
const PATIENCE = 60_000;

/** Lines that the job has written; see sharded-jobs.cjs. */
interface Written {
  readonly line: 'begun' | 'done' | 'completed';
  readonly id: string;
  readonly node: string;
  readonly index: number;
  readonly param: string;
  readonly recovered: boolean;
  readonly parts: number;
  readonly failed: number;
  readonly occurrence: string;
  readonly mono: number;
}

/** Lines of a kind since a time of the machine's monotonic clock. */
const linesOf = (cluster: Cluster, kind: Written['line'], since: number) =>
  (cluster.history() as unknown as readonly Written[]).filter(({ line, mono }) => line === kind && mono > since);

/** Resolves with the completed occurrences when there are `count` of them. A node writes this line after the commit. */
const completed = (cluster: Cluster, count: number, since: number) =>
  until(
    () => linesOf(cluster, 'completed', since),
    (lines) => lines.length >= count,
  );

const launch = (cluster: Cluster, name: string): Promise<NodeProcess> =>
  cluster.launch({ name, moreJobs: join(__dirname, 'support/sharded-jobs.cjs') });

/** Checks the parts of an occurrence whose nodes are killed. */
async function proveKills(cluster: Cluster, living: NodeProcess[]): Promise<void> {
  const since = monotonic();
  let begun = firstToSee(living, 'begun');
  await cluster.withScheduler(async (scheduler) => {
    const params = Array.from({ length: SHARDS }, (_, index) => `part ${index}`);
    const job = newJob('sharded').withIdentity('sharded').usingJobData({ duration: DURATION });
    const trigger = newTrigger().withIdentity('sharded').startNow();
    await scheduler.scheduleJob(job.withSpread({ shards: SHARDS, params }).build(), trigger.build());
  });
  for (let kill = 1; kill <= KILLS; kill++) {
    const { node } = await begun;
    living.splice(living.indexOf(node), 1);
    begun = firstToSee([...living], 'begun');
    await cluster.kill(node);
    living.push(await launch(cluster, `after-${kill}`));
  }
  await expectRest(cluster, living);
  expectParts(linesOf(cluster, 'begun', since), linesOf(cluster, 'done', since));
  expect(await completed(cluster, 1, since)).toMatchObject([{ parts: SHARDS, failed: 0 }]);
  expect(await cluster.tables.query('SELECT * FROM QRTZ_X_PARTS')).toEqual([]);
  expectNoErrors(await cluster.run([]));
}

function expectParts(begun: readonly Written[], done: readonly Written[]): void {
  const all = Array.from({ length: SHARDS }, (_, index) => index);
  const moved = begun.filter(({ recovered }) => recovered);
  expect(moved.length).toBeGreaterThan(0);
  for (const index of all) {
    const runs = begun.filter((each) => each.index === index);
    const first = runs.filter(({ recovered }) => !recovered);
    if (runs.length === first.length) expect(first).toHaveLength(1);
    else expect(first.length).toBeLessThanOrEqual(1); // the part may have been fired without beginning
    expect(runs.map(({ param }) => param)).toEqual(runs.map(() => `part ${index}`));
    expect(done.filter((each) => each.index === index).length).toBeGreaterThanOrEqual(1);
  }
  expect(new Set(begun.map(({ id }) => id)).size).toBe(begun.length);
}

/** Checks that a broadcast runs one part on each node. */
async function proveBroadcast(cluster: Cluster, living: readonly NodeProcess[]): Promise<void> {
  const since = monotonic();
  const begun = firstToSee(living, 'begun');
  await cluster.withScheduler(async (scheduler) => {
    const job = newJob('sharded').withIdentity('sharded').usingJobData({ duration: 10 }).withSpread('broadcast');
    await scheduler.scheduleJob(job.build(), newTrigger().withIdentity('sharded').startNow().build());
  });
  await begun;
  await expectRest(cluster, living);
  const done = linesOf(cluster, 'done', since).filter(({ index }) => index !== undefined); // those of the job itself
  expect(done.map(({ node }) => node).sort()).toEqual(living.map(({ name }) => name));
  expect(done.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
  expect(await completed(cluster, 1, since)).toMatchObject([{ parts: 3, failed: 0 }]);
  expectNoErrors(await cluster.run([]));
}

const QUEUED = 3;

/** Checks queued occurrences. Their parts fail once, and a node dies during the parts of the first occurrence. */
async function proveQueue(cluster: Cluster, living: NodeProcess[]): Promise<void> {
  const since = monotonic();
  const begun = firstToSee(living, 'begun');
  await cluster.withScheduler(async (scheduler) => {
    const data = { duration: 700, failsFirst: true };
    const job = newJob('sharded').withIdentity('sharded').usingJobData(data).storeDurably().withRetry('R1/PT0.3S');
    await scheduler.addJob(job.withSpread({ shards: 3 }).withOverlap({ queueAll: 5 }).build());
    for (let count = 0; count < QUEUED; count++) await scheduler.triggerJob('sharded');
  });
  const { node } = await begun;
  await cluster.kill(node);
  living.splice(living.indexOf(node), 1, await launch(cluster, 'after'));
  await expectRest(cluster, living);
  expectNoOverlap(linesOf(cluster, 'begun', since), linesOf(cluster, 'done', since));
  expect(await completed(cluster, QUEUED, since)).toMatchObject(
    Array.from({ length: QUEUED }, () => ({ parts: 3, failed: 0 })),
  );
  expect(await cluster.tables.query('SELECT * FROM QRTZ_X_PARTS')).toEqual([]);
  expect(await cluster.tables.query('SELECT * FROM QRTZ_X_HELD')).toEqual([]);
}

/** Expects each occurrence to begin after all parts of the previous one are done. */
function expectNoOverlap(begun: readonly Written[], done: readonly Written[]): void {
  const spans = [...new Set(begun.map(({ occurrence }) => occurrence))].map((occurrence) => {
    const own = (each: Written) => each.occurrence === occurrence;
    const indexes = new Set(done.filter(own).map(({ index }) => index));
    expect([...indexes].sort()).toEqual([0, 1, 2]);
    const from = Math.min(...begun.filter(own).map(({ mono }) => mono));
    return { from, to: Math.max(...done.filter(own).map(({ mono }) => mono)) };
  });
  spans.sort((a, b) => a.from - b.from);
  expect(spans).toHaveLength(QUEUED);
  for (const [place, { from }] of spans.entries()) {
    if (place > 0) expect(from).toBeGreaterThanOrEqual(spans[place - 1]?.to ?? 0);
  }
}

async function prove(cluster: Cluster): Promise<void> {
  const living = await Promise.all(['n1', 'n2', 'n3'].map((name) => launch(cluster, name)));
  await proveBroadcast(cluster, living);
  await proveKills(cluster, living);
  await proveQueue(cluster, living);
}

describeOnServerFirst((newTables) => {
  it(
    'broadcast, sharded and queued occurrences run completely and in order although nodes are killed',
    async () => inCluster(await newTables(), QUICK, prove, 2 * PATIENCE),
    2 * PATIENCE + 20_000,
  );
});
