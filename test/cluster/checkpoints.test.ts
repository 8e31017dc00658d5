import { join } from 'node:path';
import { newJob, newTrigger } from '../../src';
import { type Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import type { NodeProcess } from './support/node-process';
import { expectNoErrors, expectRest, firstToSee, inCluster } from './support/proof';
import { pause } from './support/time';

/*
 * A job saves checkpoints while its nodes are killed repeatedly. Each run resumes from the last acknowledged checkpoint or a later one, and the last
 * run leaves no rows.
 */

const KILLS = 2;
/** The job counts to LAST, with STEP milliseconds for each number: longer than its nodes live. */
const LAST = 400;
const STEP = 20;
const PATIENCE = 120_000;

/** Lines that the job has written; see saving-jobs.cjs. */
interface Counted {
  readonly line: 'resumed' | 'given' | 'stored' | 'refused' | 'counted';
  readonly lastId: number;
  readonly mono: number;
}

const KINDS: readonly string[] = ['resumed', 'given', 'stored', 'refused', 'counted'];

const linesOf = (cluster: Cluster): readonly Counted[] =>
  (cluster.history() as readonly { readonly line: string; readonly mono: number }[])
    .filter(({ line }) => KINDS.includes(line))
    .sort((a, b) => a.mono - b.mono) as never;

async function launch(cluster: Cluster, name: string): Promise<NodeProcess> {
  return cluster.launch({ name, moreJobs: join(__dirname, 'support/saving-jobs.cjs') });
}

async function proveResumed(cluster: Cluster, living: NodeProcess[]): Promise<void> {
  let saved = firstToSee(living, 'stored');
  await cluster.withScheduler(async (scheduler) => {
    const job = newJob('counts').withIdentity('counts').usingJobData({ last: LAST, step: STEP }).requestRecovery();
    await scheduler.scheduleJob(job.build(), newTrigger().withIdentity('counts').startNow().build());
  });
  for (let kill = 1; kill <= KILLS; kill++) {
    const { node } = await saved;
    await node.seen('stored');
    await pause(700 * kill); // somewhere between two writes
    await cluster.kill(node);
    living.splice(living.indexOf(node), 1, await launch(cluster, `after-${kill}`));
    saved = firstToSee(living, 'stored');
  }
  await expectRest(cluster, living);
  expectResumed(linesOf(cluster));
  expect(await cluster.tables.query('SELECT * FROM QRTZ_X_CHECKPOINTS')).toEqual([]);
  expectNoErrors(await cluster.run([]));
}

function expectResumed(lines: readonly Counted[]): void {
  let acknowledged = 0;
  let given = 0;
  let runs = 0;
  for (const { line, lastId } of lines) {
    if (line === 'resumed') {
      runs++;
      expect(lastId).toBeGreaterThanOrEqual(acknowledged);
      expect(lastId).toBeLessThanOrEqual(given);
      if (runs > 1) expect(lastId).toBeGreaterThan(0);
    }
    if (line === 'given') given = Math.max(given, lastId);
    if (line === 'stored') acknowledged = lastId;
  }
  expect(runs).toBe(KILLS + 1);
  expect(lines.at(-1)).toMatchObject({ line: 'counted', lastId: LAST });
}

const CHILDREN = 20;

interface Found {
  readonly line: 'found';
  readonly occurrence: string;
  readonly own: string;
  readonly found: unknown;
}

/** Chained children of one trigger that start together, many of them in the same millisecond. */
async function proveChained(cluster: Cluster, living: NodeProcess[]): Promise<void> {
  const saved = firstToSee(living, 'saved');
  await cluster.withScheduler(async (scheduler) => {
    const ends = newJob('ends').withIdentity('ends').storeDurably().requestRecovery();
    await scheduler.addJob(ends.usingJobData({ until: Date.now() + 4_000 }).build());
    const follows = newJob('follows').withIdentity('follows').withRetry('R1/PT4S').requestRecovery().build();
    await scheduler.scheduleJob(follows, newTrigger().withIdentity('follows').startAfter('ends').build());
    for (let count = 0; count < CHILDREN; count++) await scheduler.triggerJob('ends');
  });
  const { node } = await saved;
  await cluster.kill(node);
  living.splice(living.indexOf(node), 1, await launch(cluster, 'after'));
  await expectRest(cluster, living, 1);
  const found = (cluster.history() as unknown as readonly Found[]).filter(({ line }) => line === 'found');
  for (const each of found) expect(each.found).toEqual({ parent: each.own });
  expect(new Set(found.map(({ occurrence }) => occurrence)).size).toBe(CHILDREN);
  expect(await cluster.tables.query('SELECT * FROM QRTZ_X_CHECKPOINTS')).toEqual([]);
}

async function prove(cluster: Cluster): Promise<void> {
  const living = [await launch(cluster, 'n1'), await launch(cluster, 'n2')];
  await proveResumed(cluster, living);
  await proveChained(cluster, living);
}

describeOnServerFirst((newTables) => {
  it(
    'runs resume from a checkpoint after kill -9, and chained runs of one millisecond keep separate checkpoints',
    async () => inCluster(await newTables(), QUICK, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
