import { type Clock, SystemClock } from '../../src/base/clock';
import { ManualClock } from '../../src/base/manual-clock';
import { yieldToEventLoop } from '../../src/base/yield-to-event-loop';
import type { AcquiredTrigger, TriggerFiring } from '../../src/domain/firing';
import { triggerKey } from '../../src/domain/keys';
import { report } from '../cluster/support/figures';
import { everyMinute, job, MINUTE, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver, storing } from '../conformance/store-driver';
import { RecordingDriver } from '../support/database/recording-driver';
import { openSqliteNodes, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { SteppedDriver } from '../support/database/stepped-driver';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';

const BATCH = 5;
const READ = ['begin', 'selectLock', 'selectDueTriggers'];

interface Node extends StoreDriver {
  readonly log: RecordingDriver;
  readonly steps: SteppedDriver;
}

function nodeOn({ driver }: StoreDatabase, schedName: string, instanceId: string, clock?: Clock): Node {
  const steps = new SteppedDriver(driver);
  const log = new RecordingDriver(steps, driver.dialect);
  const options = { schedName, instanceId, ...(clock === undefined ? {} : { clock }) };
  const store = storeOn({ driver: log, close: async () => undefined }, testNode(options));
  return Object.assign(new StoreDriver(store), { log, steps });
}

/** Two nodes of one schedule on connections of their own; on the clock of the first, no time passes by itself. */
async function openNodes([first, second]: readonly StoreDatabase[], clock: Clock) {
  const { schedName } = testNode();
  const ours = nodeOn(first as StoreDatabase, schedName, 'ours', clock);
  const other = nodeOn(second as StoreDatabase, schedName, 'other');
  await ours.open();
  await other.open();
  return { ours, other };
}

const fill = (node: Node, count: number) =>
  node.scheduleAll(...Array.from({ length: count }, (_, index) => once(`t${String(index).padStart(4, '0')}`)));

const fire = (node: Node, fields = {}) => node.fireDue({ maxCount: BATCH, ...fields });

async function countWaiting(node: Node): Promise<number> {
  const { items } = await node.store.queryTriggers({ skip: 0, take: 10_000 });
  return items.filter(({ state }) => state === 'WAITING').length;
}

/** Takes the lock, for which it waits as long as somebody else holds it. */
const takeLock = (node: Node) =>
  node.apply({ type: 'storeJob', job: job('any', { durable: true }), ifExists: 'replace', requireTrigger: false });

/** Lets time pass until `result` is there: what has failed is tried again after a pause. */
async function inTime<T>(clock: ManualClock, result: Promise<T>): Promise<T> {
  let isPending = true;
  const settled = result.finally(() => {
    isPending = false;
  });
  while (isPending) {
    await yieldToEventLoop();
    clock.advanceBy(1);
  }
  return settled;
}

/** Two full batches, one right after the other; the third has been read before it is asked for. */
async function readAhead(node: Node, fields = {}): Promise<void> {
  const { log } = node;
  expect(await fire(node, fields)).toHaveLength(BATCH);
  log.forget();
  const second = fire(node, fields);
  await log.next('commit');
  log.forget();
  const read = log.next('selectDueTriggers');
  expect(await second).toHaveLength(BATCH);
  await read;
  await yieldToEventLoop();
  expect(log.steps).toEqual(READ);
  log.forget();
}

describeOnServer('the next batch on a real server', () => {
  let database: TestDatabase;
  let databases: StoreDatabase[];
  let clock: ManualClock;
  let ours: Node;
  let other: Node;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    databases = [await openStores(database.url), await openStores(database.url)];
  });

  beforeEach(async () => {
    clock = new ManualClock(NOW);
    ({ ours, other } = await openNodes(databases, clock));
  });

  afterEach(async () => {
    ours.steps.letGo();
    await ours.store.close();
    await other.store.close();
    expect(ours.log.failures).toEqual([]);
  });

  afterAll(async () => {
    for (const { close } of databases) await close();
    await database.drop();
  });

  it('is read under the lock before it is asked for, and written when it is', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    expect(await countWaiting(other)).toBe(10);
    const third = fire(ours);
    await ours.log.next('commit');
    const untilCommit = [...ours.log.steps];
    expect(namesOf(await third)).toEqual(['t0010', 't0011', 't0012', 't0013', 't0014']);
    expect(untilCommit).toContain('insertFirings');
    expect(untilCommit).not.toContain('selectLock');
    expect(untilCommit).not.toContain('selectDueTriggers');
    expect(await fire(ours)).toHaveLength(BATCH);
    expect(await fire(ours)).toEqual([]);
  });

  it('is left alone when requests come slowly, or find fewer than they want', async () => {
    await fill(ours, 18);
    expect(await fire(ours)).toHaveLength(BATCH);
    clock.advanceBy(3);
    expect(await fire(ours)).toHaveLength(BATCH);
    await takeLock(other);
    expect(ours.log.steps.at(-1)).toBe('commit');
    clock.advanceBy(3);
    expect(await fire(ours)).toHaveLength(BATCH);
    expect(await fire(ours)).toHaveLength(3);
    await takeLock(other);
    expect(ours.log.steps.at(-1)).toBe('commit');
  });

  it('is as small as the request wants it, which says how many workers are free', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    expect(namesOf(await fire(ours, { maxCount: 2 }))).toEqual(['t0010', 't0011']);
    expect(await countWaiting(other)).toBe(8);
  });

  it('is nothing when no worker is free, and is there for the next request', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    expect(await fire(ours, { maxCount: 0 })).toEqual([]);
    await takeLock(other);
    expect(await countWaiting(other)).toBe(10);
    expect(await fire(ours)).toHaveLength(BATCH);
  });

  it('is larger than what was read when the request wants more', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    expect(await fire(ours, { maxCount: 8 })).toHaveLength(8);
  });

  it('is read again for what has become due since', async () => {
    await fill(ours, 12);
    await ours.apply(...['x', 'y'].map((name) => storing(once(name, { startTime: NOW + SECOND }))));
    await readAhead(ours);
    ours.now += SECOND;
    const third = fire(ours);
    await ours.log.next('commit');
    const untilCommit = [...ours.log.steps];
    expect(namesOf(await third)).toEqual(['t0010', 't0011', 'x', 'y']);
    expect(untilCommit).toContain('selectDueTriggers');
    expect(untilCommit).not.toContain('selectLock');
  });

  it('holds nothing that has misfired since', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    ours.now += 2 * MINUTE;
    expect(await fire(ours)).toEqual([]);
    expect((await ours.recoverMisfires()).misfired).toHaveLength(10);
  });

  it('is read again for other job types', async () => {
    await fill(ours, 20);
    await ours.schedule(job('foreign', { jobType: 'foreign' }), once('foreign', { startTime: NOW - SECOND }));
    await readAhead(ours);
    const both = await fire(ours, { jobTypes: ['sample', 'foreign'] });
    expect(namesOf(both)).toEqual(['foreign', 't0010', 't0011', 't0012', 't0013']);
    await ours.schedule(job('more', { jobType: 'foreign' }), once('more', { startTime: NOW - SECOND }));
    expect(namesOf(await fire(ours, { jobTypes: ['sample'] }))).toEqual(['t0014', 't0015', 't0016', 't0017', 't0018']);
  });

  it('is given up after 3 ms, with nothing changed, and found again by the next request', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    const before = await other.everything();
    const ended = ours.log.next('commit');
    clock.advanceBy(3);
    await ended;
    await takeLock(other);
    await other.applyOne({ type: 'deleteJob', key: job('any').key });
    expect(ours.log.steps).toEqual(['commit']);
    expect(await other.everything()).toEqual(before);
    expect(namesOf(await fire(ours))).toEqual(['t0010', 't0011', 't0012', 't0013', 't0014']);
  });

  it('goes to another node when this one asks for it no more', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    const theirs = fire(other);
    clock.advanceBy(3);
    expect(namesOf(await theirs)).toEqual(['t0010', 't0011', 't0012', 't0013', 't0014']);
    expect(namesOf(await fire(ours))).toEqual(['t0015', 't0016', 't0017', 't0018', 't0019']);
  });

  it('keeps another node from the lock for some milliseconds only', async () => {
    const real = await openNodes(databases, new SystemClock());
    await fill(real.ours, 500);
    const delays: number[] = [];
    for (let round = 0; round < 3; round++) {
      for (let full = 0; full < 3; full++) expect(await fire(real.ours)).toHaveLength(BATCH);
      const start = performance.now();
      await takeLock(real.other);
      delays.push(performance.now() - start);
    }
    report(`another node has the lock after ${Math.min(...delays).toFixed(1)} ms`);
    expect(Math.min(...delays)).toBeLessThan(100);
    await real.ours.store.close();
    await real.other.store.close();
  });

  it.each<[string, (before: { firing: TriggerFiring; acquired: readonly AcquiredTrigger[] }) => Promise<unknown>]>([
    ['a change of the schedule', () => takeLock(ours)],
    ['pausing', () => ours.store.pauseTriggers([triggerKey('t0019')])],
    ['resuming', () => ours.store.resumeTriggers([triggerKey('t0019')], ours.options)],
    ['releasing', ({ acquired }) => ours.store.releaseTriggers(acquired)],
    ['firing what was acquired before', ({ acquired }) => ours.fire(...acquired)],
    ['the completion of a non-concurrent job', ({ firing }) => ours.complete(firing)],
    [
      'a completion that stops the triggers of its job',
      ({ firing }) => ours.complete(firing, 'SET_ALL_JOB_TRIGGERS_ERROR'),
    ],
    ['a sweep of misfires', () => ours.recoverMisfires()],
  ])('gives way at once to %s', async (_, act) => {
    await ours.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('serial'));
    const firing = await ours.fireOne();
    await ours.schedule(job('later'), once('later', { startTime: NOW + SECOND }));
    const acquired = await ours.acquire({ noLaterThan: NOW + SECOND });
    await fill(ours, 20);
    await ours.apply(storing(once('old', { startTime: NOW - MINUTE - SECOND })));
    await readAhead(ours);
    await act({ firing, acquired });
    expect(ours.log.steps[0]).toBe('commit');
    await takeLock(other);
    expect(namesOf(await fire(ours))).toContain('t0010');
  });

  it('does not give way to completions that need no lock', async () => {
    await fill(ours, 20);
    const firing = await ours.fireOne();
    await readAhead(ours);
    expect(await ours.complete(firing, 'DELETE_TRIGGER')).toMatchObject({ status: 'completed' });
    expect(ours.log.steps).toEqual([]);
    expect(await fire(ours)).toHaveLength(BATCH);
  });

  it('waits by a signal of its own each time: one for all would gather listeners', async () => {
    await fill(ours, 20);
    const sleep = jest.spyOn(clock, 'sleepUntil');
    for (let full = 0; full < 15; full++) expect(await fire(ours, { maxCount: 1 })).toHaveLength(1);
    const signals = sleep.mock.calls.map(([, signal]) => signal);
    expect(signals.length).toBeGreaterThan(10);
    expect(new Set(signals).size).toBe(signals.length);
  });

  it('ends with the store', async () => {
    await fill(ours, 20);
    await readAhead(ours);
    await ours.store.close();
    expect(ours.log.steps[0]).toBe('commit');
    await takeLock(other);
    expect(await countWaiting(other)).toBe(10);
  });

  it('does not begin any more when the store closes while a request is under way', async () => {
    await fill(ours, 20);
    expect(await fire(ours)).toHaveLength(BATCH);
    const hold = ours.steps.holdAt('commit');
    const second = fire(ours);
    await hold.reached;
    const closed = ours.store.close();
    hold.go();
    expect(await second).toHaveLength(BATCH);
    await closed;
    await takeLock(other);
    expect(ours.log.steps.at(-1)).toBe('commit');
  });

  it.each(['arrived', 'lost'] as const)('fires once when the answer to its commit does not come: %s', async (fault) => {
    await fill(ours, 20);
    await readAhead(ours);
    ours.steps.loseCommit(fault);
    const third = await inTime(clock, fire(ours));
    expect(namesOf(third)).toEqual(['t0010', 't0011', 't0012', 't0013', 't0014']);
    for (const firing of third)
      expect(await ours.complete(firing, 'DELETE_TRIGGER')).toMatchObject({ status: 'completed' });
    expect(await countWaiting(other)).toBe(5);
    expect(ours.log.failures.splice(0)).toHaveLength(1);
  });

  it('is acquired as ever when the database refuses to read ahead', async () => {
    await fill(ours, 20);
    expect(await fire(ours)).toHaveLength(BATCH);
    const hold = ours.steps.holdAt('commit');
    const second = fire(ours);
    await hold.reached;
    ours.steps.failIn(2);
    hold.go();
    expect(await second).toHaveLength(BATCH);
    const third = await inTime(clock, fire(ours));
    expect(namesOf(third)).toEqual(['t0010', 't0011', 't0012', 't0013', 't0014']);
    expect(ours.log.failures.splice(0)).toHaveLength(1);
  });

  it('fires nothing twice on two nodes that drain the same triggers side by side', async () => {
    const count = 2_000;
    const nodes = await openNodes(databases, new SystemClock());
    await fill(nodes.ours, count);
    let readUnasked = 0;
    const drain = async (node: Node) => {
      const fired: string[] = [];
      const completed: Promise<unknown>[] = [];
      for (;;) {
        const firings = await node.fireDue({ maxCount: 50 });
        if (firings.length === 0) break;
        fired.push(...namesOf(firings));
        node.log.forget();
        completed.push(
          node.store.completeTriggers(firings.map((firing) => ({ firing, instruction: 'DELETE_TRIGGER' }))),
        );
        await yieldToEventLoop();
        if (node.log.steps.includes('begin')) readUnasked++;
      }
      await Promise.all(completed);
      return fired;
    };
    const all = (await Promise.all([drain(nodes.ours), drain(nodes.other)])).flat();
    expect([all.length, new Set(all).size]).toEqual([count, count]);
    expect((await ours.store.queryTriggers({ skip: 0, take: 1 })).total).toBe(0);
    expect(readUnasked).toBeGreaterThan(0);
    await nodes.ours.store.close();
    await nodes.other.store.close();
  });
});

describe('the next batch on SQLite', () => {
  it('is not read before it is asked for: nobody could write meanwhile', async () => {
    const databases = await openSqliteNodes(2);
    const { ours, other } = await openNodes(databases, new ManualClock(NOW));
    await fill(ours, 20);
    for (let full = 0; full < 3; full++) expect(await fire(ours)).toHaveLength(BATCH);
    await takeLock(other);
    expect(ours.log.steps.at(-1)).toBe('commit');
    expect(await fire(ours)).toHaveLength(BATCH);
    for (const { store } of [ours, other]) await store.close();
    for (const { close } of databases) await close();
  });
});
