import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../src/base/ids';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { UnreadableRow } from '../../src/domain/scheduler-event';
import type { Trigger } from '../../src/domain/trigger';
import { newAcquireMemory } from '../../src/store/sql/operations/acquire-memory';
import { NodeTransactions } from '../../src/store/sql/rows/node-transaction';
import type { RowProblem } from '../../src/store/sql/rows/sql-node';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { SqlClusterStore } from '../../src/store/sql/sql-cluster-store';
import { loadSqlite } from '../../src/store/sql/sqlite/sqlite-module';
import { everyMinute, job, MINUTE, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver, storing } from '../conformance/store-driver';
import { allJobs } from '../support/all-stored';
import { RecordingDriver } from '../support/database/recording-driver';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnAnyServer, sharedServer } from '../support/database/test-database';
import { SlowClock } from '../support/slow-clock';

/** Changes rows without the store, with `$sched` for the scheduler's name. */
type Alter = (statement: string) => Promise<void>;

const BAD = 600;

/** Many due triggers of a job whose data is a serialized custom class, next to healthy ones. */
function describeQuarantine(open: () => Promise<{ stores: StoreDatabase; alter: Alter; close: () => Promise<void> }>) {
  let context: Awaited<ReturnType<typeof open>>;
  let clock: SlowClock;
  let schedName: string;
  let ours: StoreDriver;
  let recording: RecordingDriver;
  let other: StoreDriver;
  let told: UnreadableRow[];

  beforeAll(async () => {
    context = await open();
  });

  afterAll(() => context.close());

  beforeEach(async () => {
    clock = new SlowClock(NOW);
    told = [];
    recording = new RecordingDriver(context.stores.driver);
    const node = testNode({ clock, unreadable: told });
    schedName = node.schedName;
    ours = new StoreDriver(storeOn({ ...context.stores, driver: recording }, node));
    other = new StoreDriver(storeOn(context.stores, testNode({ schedName, instanceId: 'other' })));
    await ours.open();
    const bad = Array.from({ length: BAD }, (_, index) => once(`bad ${index}`, { startTime: NOW - SECOND }));
    await ours.schedule(job('bad'), ...bad);
    await ours.schedule(job('good', { durable: true }));
    await alterData('bad', 'ACED000573720001');
  });

  afterEach(() => ours.store.close());

  const alterData = (name: string, hex: string) =>
    context.alter(`UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = x'${hex}' WHERE JOB_NAME = '${name}' AND SCHED_NAME = $sched`.replace('$sched', `'${schedName}'`)); // biome-ignore format: one line
  const good = (name: string, fields: Partial<Trigger> = {}) =>
    storing(once(name, { jobKey: jobKey('good'), ...(fields as object) }));
  const fired = async (maxCount = 5) => namesOf(await ours.fireDue({ maxCount }));

  it('are reported once, as one job, and do not slow down later scans', async () => {
    await ours.apply(good('first'));
    clock.tick = 20; // a slow scan, which is remembered
    expect(await fired()).toEqual(['first']);
    clock.tick = 0;
    expect(told).toMatchObject([{ what: 'job', group: 'DEFAULT', name: 'bad' }]);
    for (const name of ['second', 'third']) {
      await other.apply(good(name));
      recording.forget();
      expect(await fired()).toEqual([name]);
      expect(recording.steps.filter((statement) => statement === 'selectDueTriggers')).toHaveLength(1);
      expect(recording.steps).not.toContain('selectDueKeys');
    }
    expect(told).toHaveLength(1);
  });

  it('are skipped by key if the node does not remember them, and hide no later trigger', async () => {
    await ours.apply(good('first'), good('second'));
    expect(await fired(1)).toEqual(['first']);
    clock.advanceBy(MINUTE);
    recording.forget();
    expect(await fired(1)).toEqual(['second']);
    expect(recording.steps).toContain('selectDueKeys');
    expect(recording.steps).not.toContain('selectDueTriggers');
  });

  it('hide no trigger behind a waiting trigger of an executing job', async () => {
    expect(await fired()).toEqual([]);
    const alone = (name: string) => storing(once(name, { startTime: NOW - 1, jobKey: jobKey('alone') }));
    await ours.schedule(job('alone', { disallowConcurrentExecution: true, durable: true }));
    await ours.apply(alone('first'), alone('second'), good('behind'));
    expect(await fired(1)).toEqual(['first']);
    expect(await ours.state('second')).toBe('BLOCKED');
    await context.alter(`UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = 'WAITING' WHERE TRIGGER_NAME = 'second' AND SCHED_NAME = '${schedName}'`); // biome-ignore format: one line
    clock.advanceBy(MINUTE);
    recording.forget();
    expect(await fired(1)).toEqual(['behind']);
    expect(recording.steps).toContain('selectDueKeys');
  });

  it('stay unchanged, and are fired by a node that can read them', async () => {
    expect(await fired()).toEqual([]);
    expect(await ours.state('bad 7')).toBe('WAITING');
    await alterData('bad', '7B7D');
    expect(namesOf(await other.fireDue({ maxCount: 2 }))).toHaveLength(2);
  });

  it('are read again, a few per second, so that a repaired row fires', async () => {
    clock.tick = 20;
    expect(await fired()).toEqual([]);
    clock.tick = 0;
    await alterData('bad', '7B7D');
    expect(await fired()).toEqual([]);
    clock.advanceBy(SECOND);
    expect(await fired()).toHaveLength(5);
  });

  it('fire at once when this node repairs them', async () => {
    expect(await fired()).toEqual([]);
    await ours.applyOne({ type: 'storeJob', job: job('bad'), ifExists: 'replace', requireTrigger: false });
    expect(ours.announced.at(-1)).toBeNull();
    expect(await fired()).toHaveLength(5);
  });

  it('hide no trigger that is added among them', async () => {
    expect(await fired()).toEqual([]);
    await other.apply(good('among', { startTime: NOW - 2 * SECOND }));
    clock.advanceBy(SECOND);
    expect(await fired()).toEqual(['among']);
  });

  it('do not keep other triggers from misfire recovery', async () => {
    expect(await fired()).toEqual([]);
    await ours.apply(storing(everyMinute('late', { jobKey: jobKey('good') })));
    ours.now = NOW + 600 * SECOND;
    recording.forget();
    expect((await ours.recoverMisfires(3)).misfired.map(({ key }) => key.name)).toEqual(['late']);
    expect(recording.steps).not.toContain('selectMisfiredTriggers');
    expect(await ours.state('bad 0')).toBe('WAITING');
  });

  it('are listed with their current cause and time, and their job is shown but cannot run', async () => {
    expect(await fired()).toEqual([]);
    const listed = await ours.store.getUnreadableRows();
    expect(listed).toHaveLength(BAD + 1);
    expect(listed[0]).toMatchObject({
      what: 'job',
      name: 'bad',
      since: NOW,
      cause: expect.stringMatching(/plain data/),
    });
    expect(await ours.store.getJobs([jobKey('bad')])).toMatchObject([
      { jobType: 'sample', unreadable: listed[0]?.cause },
    ]);
    expect((await allJobs(ours.store)).items).toHaveLength(2);
    const now = { ...storing(once('now', { jobKey: jobKey('bad') })), needsReadableJob: true };
    await expect(ours.apply(now)).rejects.toMatchObject({ code: 'INVALID_JOB_DATA' });
    await alterData('bad', '7B7D');
    expect(await ours.store.getUnreadableRows()).toEqual([]);
    expect(await ours.trigger('bad 0')).not.toHaveProperty('unreadable');
  });

  it('are removed from the list when they are deleted', async () => {
    expect(await fired()).toEqual([]);
    await other.applyOne({ type: 'deleteJob', key: jobKey('bad') });
    expect(await ours.store.getUnreadableRows()).toEqual([]);
  });

  it('are found by an examination of the whole schedule before the start', async () => {
    const { driver } = context.stores;
    const store = storeOn({ ...context.stores, driver }, testNode({ schedName }));
    const rows = await store.examineSchedule();
    expect(rows).toHaveLength(BAD + 1);
  });

  it('with integers beyond the safe range affect only themselves', async () => {
    await ours.apply(good('bare'), good('next', { startTime: NOW + SECOND }), good('well'));
    const huge = '9223372036854775807';
    const set = (column: string, name: string) =>
      context.alter(`UPDATE QRTZ_TRIGGERS SET ${column} = ${huge} WHERE TRIGGER_NAME = '${name}' AND SCHED_NAME = '${schedName}'`); // biome-ignore format: one line
    await set('END_TIME', 'bare');
    await set('NEXT_FIRE_TIME', 'next');
    expect(await fired()).toEqual(['well']);
    expect(told.map(({ name }) => name)).toEqual(['bad', 'bare']);
    const { items } = await ours.store.pageTriggers({ sort: 'key', search: 'next', take: 10 });
    expect(items.map(({ trigger }) => trigger.key)).toEqual([triggerKey('next')]);
    expect(items[0]?.trigger.unreadable).toMatch(/NEXT_FIRE_TIME/);
  });

  it('are ignored if they describe nodes, and do not hide schedule changes from this node', async () => {
    const problems: RowProblem[] = [];
    const node = testNode({ schedName, clock, problems });
    const transactions = new Transactions(context.stores.driver, { schedName, clock, random: systemRandom });
    const ofNode = new NodeTransactions(transactions, node);
    const cluster = new SqlClusterStore(ofNode, newAcquireMemory(ofNode));
    await context.alter(`INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('${schedName}', 'evil', 9223372036854775807, 1)`);
    await context.alter(`INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('${schedName}', 'java', 5, 1)`);
    expect((await cluster.readNodes()).nodes.map(({ instanceId }) => instanceId)).toEqual(['java']);
    expect(problems).toMatchObject([{ what: 'node', name: 'evil' }]);
    const parked = Array.from({ length: 40 }, (_, index) => once(`parked ${index}`, { startTime: 8.6e15 }));
    await ours.schedule(job('parked'), ...parked);
    const watch = () => cluster.watchChanges({ instanceId: 'x', epoch: 'x', lookBack: 0, isCounted: true } as const);
    const before = await watch();
    await context.alter(`UPDATE QRTZ_TRIGGERS SET NEXT_FIRE_TIME = NEXT_FIRE_TIME + 1 WHERE TRIGGER_NAME = 'parked 3' AND SCHED_NAME = '${schedName}'`); // biome-ignore format: one line
    expect((await watch()).fingerprint).not.toBe(before.fingerprint);
  });
}

describeOnAnyServer('rows that one node cannot read, on a real server', () => {
  describeQuarantine(async () => {
    const database = await createDatabase(await sharedServer());
    const stores = await openStores(database.url);
    const alter: Alter = async (statement) => {
      await database.query(statement);
    };
    const close = async () => {
      await stores.close();
      await database.drop();
    };
    return { stores, alter, close };
  });
});

describe('rows that one node cannot read, on SQLite', () => {
  describeQuarantine(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-unreadable-'));
    const path = join(folder, 'quartz.db');
    const stores = await openStores(`sqlite:${path}`);
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA busy_timeout = 5000');
    const alter: Alter = async (statement) => database.exec(statement);
    const close = async () => {
      database.close();
      await stores.close();
      rmSync(folder, { recursive: true });
    };
    return { stores, alter, close };
  });
});
