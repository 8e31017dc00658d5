import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobDetail } from '../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { ScheduleChange } from '../../src/domain/schedule-change';
import type { SimpleTrigger, Trigger } from '../../src/domain/trigger';
import { ScriptRefused } from '../../src/store/sql/runtime/script';
import { sqliteTables, type Tables } from '../cluster/support/tables';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../conformance/samples';
import { StoreDriver, storing, storingCalendar } from '../conformance/store-driver';
import { RecordingDriver } from '../support/database/recording-driver';
import { keptOpen, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { SteppedDriver } from '../support/database/stepped-driver';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';
import { countTurns, HastyClock } from '../support/turns';

interface Place extends Pick<Tables, 'kind' | 'drop'> {
  readonly url: string;
}

const newJob = (name: string, settings: Parameters<typeof job>[1] = {}): ScheduleChange => ({
  type: 'storeJob',
  job: job(name, settings),
  ifExists: 'fail',
  requireTrigger: true,
});
const adding = (name: string, ...triggers: readonly Trigger[]): readonly ScheduleChange[] => [
  newJob(name),
  ...triggers.map((trigger) => storing({ ...trigger, jobKey: jobKey(name) })),
];

function describeAdditions(open: () => Promise<Place>): void {
  let place: Place;
  let stores: StoreDatabase;
  let recording: RecordingDriver;
  let driver: StoreDriver;

  beforeAll(async () => {
    place = await open();
    stores = await openStores(place.url);
  });

  beforeEach(async () => {
    recording = new RecordingDriver(keptOpen(stores.driver), { ...stores.driver.dialect, losesCommits: false });
    driver = new StoreDriver(storeOn({ ...stores, driver: recording }, testNode()));
    await driver.open();
    await driver.apply(...adding('stored', everyMinute('stored')));
    await driver.store.pauseTriggers({ operator: 'equals', value: 'paused' });
    recording.forget();
  });

  afterEach(() => driver.store.close());

  afterAll(async () => {
    await stores.close();
    await place.drop();
  });

  const transactions = () => recording.steps.filter((step) => step === 'begin').length;

  it('are planned in time slices, between which the event loop does other work', async () => {
    const changes = Array.from({ length: 100 }, (_, index) => adding(`n${index}`, everyMinute(`n${index}`))).flat();
    const store = storeOn(stores, testNode({ clock: new HastyClock() }));
    const { result, turns } = await countTurns(() => store.planSchedule(changes, driver.options));
    expect(result.map(({ action }) => action)).toEqual(changes.map(() => 'create'));
    // Two steps per change: reading the stored row and comparing it. Applying the changes takes fewer.
    expect(turns).toBeGreaterThanOrEqual(2 * changes.length);
  });

  it('are written without reading stored jobs and triggers first', async () => {
    await driver.apply(...adding('a', everyMinute('a1'), once('a2')), ...adding('b', everyMinute('b')));
    expect(recording.steps).toEqual([
      'begin',
      'selectLock',
      'selectAnyPausedOf',
      'insertAlikeJobs',
      'insertAlikeTriggers',
      'insertSimpleTriggers', // one repeats, the others do not
      'commit',
    ]);
    expect(await driver.state('a2')).toBe('WAITING');
  });

  it.each<[string, Partial<SimpleTrigger>]>([
    ['that are alike', {}],
    ['with different priorities', { priority: 7 }],
    ['with different descriptions', { description: 'the other' }],
    ['with different data', { data: { text: 'ä', list: [1, null] } }],
    ['with and without an end time', { endTime: NOW + HOUR }],
    ['with different misfire instructions', { misfireInstruction: 'FIRE_NOW' }],
  ])('keep every field of triggers %s', async (_, difference) => {
    const all = { description: 'ä', data: { of: 'the trigger' }, priority: 3, startTime: NOW + MINUTE } as const;
    const triggers = [
      once('a', all),
      once('b', { ...all, startTime: NOW + HOUR }),
      once('c', { ...all, ...difference }),
    ];
    await driver.apply(newJob('new'), ...triggers.map((each) => storing({ ...each, jobKey: jobKey('new') })));
    const found = await driver.store.getTriggers(triggers.map(({ key }) => key));
    expect(found.map(({ trigger }) => trigger)).toEqual(
      triggers.map((each) => ({ ...each, jobKey: jobKey('new'), nextFireTime: each.startTime })),
    );
  });

  it.each<[string, Partial<JobDetail>]>([
    ['that are alike', {}],
    ['of different job types', { jobType: 'other' }],
    ['with different durability', { durable: true }],
    ['with different data', { data: { n: 1 } }],
    ['with and without a description', { description: null }],
  ])('keep every field of jobs %s', async (_, difference) => {
    const all = { description: 'ä', data: { of: 'the job' }, requestsRecovery: true };
    const jobs = [job('a', all), job('b', all), job('c', { ...all, ...difference })];
    await driver.apply(
      ...jobs.map((each): ScheduleChange => ({ ...newJob(each.key.name), job: each }) as ScheduleChange),
      ...jobs.map(({ key }) => storing(everyMinute(key.name, { jobKey: key }))),
    );
    expect(await driver.store.getJobs(jobs.map(({ key }) => key))).toEqual(jobs);
  });

  it.each<[string, readonly ScheduleChange[]]>([
    ['a job', adding('stored', everyMinute('new'))],
    ['a trigger', adding('new', everyMinute('stored'))],
    ['one of several jobs', [...adding('a', everyMinute('a')), ...adding('stored', everyMinute('b'))]],
  ])('store nothing if %s already exists', async (_, changes) => {
    await expect(driver.apply(...changes)).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    expect(recording.failures[0]).toMatchObject({ kind: 'duplicateKey' });
    expect(transactions()).toBe(2);
    for (const name of ['new', 'a', 'b']) {
      expect(await driver.find(name)).toBeNull();
      expect(await driver.job(name)).toBeNull();
    }
    expect(await driver.state('stored')).toBe('WAITING');
  });

  it('start paused if their trigger group is paused', async () => {
    await driver.apply(...adding('a', everyMinute('a', { key: triggerKey('a', 'paused') }), everyMinute('b')));
    expect(recording.failures[0]).toBeInstanceOf(ScriptRefused);
    expect(await driver.find(triggerKey('a', 'paused'))).toMatchObject({ state: 'PAUSED' });
    expect(await driver.state('b')).toBe('WAITING');
  });

  it('start paused if all groups are paused, and list their group as paused', async () => {
    await driver.store.pauseTriggers({ operator: 'any', value: '' });
    await driver.apply(...adding('a', everyMinute('a', { key: triggerKey('a', 'new') })));
    expect(await driver.find(triggerKey('a', 'new'))).toMatchObject({ state: 'PAUSED' });
    expect(await driver.store.getPausedTriggerGroups()).toContain('new');
  });

  it('are rejected with the usual errors for a duplicate key and for a job without a trigger', async () => {
    const twice = [...adding('a', everyMinute('a')), storing(everyMinute('a', { jobKey: jobKey('a') }))];
    await expect(driver.apply(...twice)).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    await expect(driver.apply(newJob('a'))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await driver.job('a')).toBeNull();
  });

  it.each<[string, readonly ScheduleChange[]]>([
    ['a trigger of a stored job', [storing(everyMinute('new', { jobKey: jobKey('stored') }))]],
    [
      'a job to keep if it exists',
      [{ type: 'storeJob', job: job('new', { durable: true }), ifExists: 'keep', requireTrigger: false }],
    ],
    [
      'a trigger to keep if it exists',
      [
        newJob('new'),
        { ...storing(everyMinute('new', { jobKey: jobKey('new') })), ifExists: 'keep' } as ScheduleChange,
      ],
    ],
    [
      'a non-concurrent job',
      [newJob('new', { disallowConcurrentExecution: true }), storing(everyMinute('new', { jobKey: jobKey('new') }))],
    ],
    ['a calendar', [storingCalendar(without('2026-12-25')), ...adding('new', everyMinute('new'))]],
    ['a deletion', [...adding('new', everyMinute('new')), { type: 'deleteTrigger', key: triggerKey('stored') }]],
  ])('read stored rows first for a change set with %s', async (_, changes) => {
    await driver.apply(...changes);
    expect(recording.steps.filter((step) => /^select(Triggers|Jobs|ExecutingJobs|Calendars)$/.test(step))).not.toEqual(
      [],
    );
    expect(recording.failures).toEqual([]);
    expect(transactions()).toBe(1);
  });

  it('are stored exactly once, whichever statement of their transaction fails', async () => {
    const steps = new SteppedDriver(keptOpen(stores.driver));
    const own = new StoreDriver(storeOn({ ...stores, driver: steps }, testNode()));
    await own.open();
    for (let count = 1; ; count++) {
      steps.failIn(count);
      await own.apply(...adding(`job${count}`, everyMinute(`t${count}`)));
      if (steps.isToFail) break;
      expect(steps.failures).toHaveLength(count);
      expect(await own.state(`t${count}`)).toBe('WAITING');
    }
    // The lock, the read of stored rows, three inserts, and the commit token (two statements in the first transaction)
    expect(steps.failures.length).toBeGreaterThanOrEqual(6);
    steps.release();
    await own.store.close();
  });
}

describe('additions to a schedule in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-additions-'));
  const path = join(folder, 'quartz.db');
  describeAdditions(async () => ({ ...sqliteTables(path), url: `sqlite:${path}` }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});

describeOnAnyServer('additions to a schedule on a server', () => {
  describeAdditions(async () => {
    const { url, drop } = await createDatabase(await sharedServer());
    return { kind: 'mysql', url, drop };
  });
});

describeOnAnyServer('the statements of an addition on a server', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    proxy = await FaultProxy.before(database.url);
    stores = await openStores(proxy.url);
  });

  afterAll(async () => {
    await stores.close();
    await proxy.close();
    await database.drop();
  });

  it('are all sent before the lock is granted, together with the commit token', async () => {
    const driver = new StoreDriver(storeOn(stores, testNode()));
    await driver.open();
    await driver.apply(...adding('first of this process', everyNoon('first of this process'))); // also deletes old marks
    await driver.apply(...adding('prepared', everyNoon('prepared')));
    const marks = () => database.query("SELECT * FROM QRTZ_X_META WHERE META_KEY LIKE 'commit.%'");
    expect(await marks()).toHaveLength(1);

    proxy.holdAnswers();
    // The first and the last statement: only the row of the cron table contains the expression.
    const sent = [proxy.sent('commit.'), proxy.sent('1 2 3 4 5 ?')];
    const stored = driver.apply(...adding('a', everyNoon('first', { cronExpression: '1 2 3 4 5 ?' })));
    await Promise.all(sent);
    proxy.passAnswers();
    await stored;
    expect(await driver.state('first')).toBe('WAITING');
  });
});
