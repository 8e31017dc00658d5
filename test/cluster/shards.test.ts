import { join } from 'node:path';
import { newJob, newTrigger } from '../../src';
import { until } from '../support/until';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import { monotonic } from './support/monotonic.cjs';
import type { NodeProcess } from './support/node-process';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';

/*
 * Occurrences in parts on several nodes, of which those that run parts are killed: every part is done, parts of nodes that live are
 * begun once, those of a dead one move, and the occurrence ends once. Its job asks for no recovery. One cluster plays all of it, because
 * processes cost more than what they do here.
 */

const SHARDS = 24;
const KILLS = 2;
/** Of a part, in milliseconds: the nodes are killed within it. */
const DURATION = 1_500;
const PATIENCE = 60_000;

/** What the job has written down; see sharded-jobs.cjs. */
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

/** What has been written down since a time of the machine's monotonic clock. */
const linesOf = (cluster: Cluster, kind: Written['line'], since: number) =>
  (cluster.history() as unknown as readonly Written[]).filter(({ line, mono }) => line === kind && mono > since);

/** Resolves to the occurrences that have completed, when there are so many: a node writes that down after the commit. */
const completed = (cluster: Cluster, count: number, since: number) =>
  until(
    () => linesOf(cluster, 'completed', since),
    (lines) => lines.length >= count,
  );

const launch = (cluster: Cluster, name: string): Promise<NodeProcess> =>
  cluster.launch({ name, moreJobs: join(__dirname, 'support/sharded-jobs.cjs') });

/** Parts whose nodes are killed. */
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
    else expect(first.length).toBeLessThanOrEqual(1); // it may have been fired, and not begun
    expect(runs.map(({ param }) => param)).toEqual(runs.map(() => `part ${index}`));
    expect(done.filter((each) => each.index === index).length).toBeGreaterThanOrEqual(1);
  }
  expect(new Set(begun.map(({ id }) => id)).size).toBe(begun.length);
}

/** One part on each node, and on no other. */
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

/** Occurrences that wait for each other: parts fail once, and a node dies within the parts of the first. */
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

/** Each occurrence begins when all parts of the one before are done. */
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
    'runs a broadcast once on each node, every part although nodes are killed -9 within theirs, and a queued occurrence only when the last part of the one before has ended',
    async () => inCluster(await newTables(), QUICK, prove, 2 * PATIENCE),
    2 * PATIENCE + 20_000,
  );
});
