import type { JobDetail } from '../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { UnreadableRow } from '../../src/domain/scheduler-event';
import type { Trigger } from '../../src/domain/trigger';
import type { RowProblem, SqlNode } from '../../src/store/sql/rows/sql-node';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../conformance/samples';
import { namesOf, StoreDriver, storingCalendar } from '../conformance/store-driver';
import { allTriggers } from '../support/all-stored';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

/** Rows written by Java or damaged by accident: readable rows are used, and an unreadable row affects only itself. */
describeOnAnyServer('rows from other programs', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;
  let driver: StoreDriver;
  let node: SqlNode;
  let problems: RowProblem[];
  let unreadable: UnreadableRow[];

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  const open = async (options: Partial<SqlNode> = {}) => {
    problems = [];
    unreadable = [];
    node = { ...testNode({ problems, unreadable }), ...options };
    driver = new StoreDriver(storeOn(stores, node));
    await driver.open();
  };

  beforeEach(() => open());

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  /** Changes rows without the store. */
  const alter = (table: string, set: string, name: string, ...values: unknown[]) =>
    database.query(`UPDATE QRTZ_${table} SET ${set} WHERE SCHED_NAME = ? AND TRIGGER_NAME = ?`, [
      ...values,
      node.schedName,
      name,
    ]);

  const told = () => unreadable.map(({ what, name }) => `${what} ${name}`);

  describe('that cannot be read', () => {
    it.each([
      ['a trigger kind that only Java knows', 'TRIGGERS', "TRIGGER_TYPE = 'BLOB'"],
      ['a missing row in the table of its kind', 'TRIGGERS', "TRIGGER_TYPE = 'CRON'"],
      ['an unknown misfire instruction', 'TRIGGERS', 'MISFIRE_INSTR = 77'],
      ['invalid job data', 'TRIGGERS', "JOB_DATA = '{'"],
    ])('(%s) keep only their own trigger from firing', async (_, table, set) => {
      await driver.scheduleAll(everyMinute('bad', { priority: 9 }), everyMinute('good'));
      await alter(table, set, 'bad');
      expect(namesOf(await driver.fireDue({ maxCount: 1 }))).toEqual(['good']);
      expect(told()).toEqual(['trigger bad']);
      const [{ state }] = (await database.query<{ state: string }>(
        "SELECT TRIGGER_STATE AS state FROM QRTZ_TRIGGERS WHERE SCHED_NAME = ? AND TRIGGER_NAME = 'bad'",
        [node.schedName],
      )) as [{ state: string }];
      expect(state).toBe('WAITING');
    });

    it('do not hide due triggers behind them, however many unreadable rows there are', async () => {
      const bad = Array.from({ length: 60 }, (_, index) => everyMinute(`bad ${index}`, { priority: 9 }));
      await driver.scheduleAll(...bad, everyMinute('good'));
      await database.query("UPDATE QRTZ_TRIGGERS SET JOB_DATA = '{' WHERE SCHED_NAME = ? AND PRIORITY = 9", [
        node.schedName,
      ]);
      expect(namesOf(await driver.fireDue({ maxCount: 5 }))).toEqual(['good']);
      driver.now = NOW + HOUR;
      expect((await driver.recoverMisfires(5)).misfired.map(({ key }) => key.name)).toEqual(['good']);
    });

    it('can be listed, paused, resumed, replaced and deleted', async () => {
      await driver.scheduleAll(everyMinute('bad'), everyMinute('other'), everyMinute('good'));
      await alter('TRIGGERS', "JOB_DATA = '{'", 'bad');
      await alter('TRIGGERS', "TRIGGER_TYPE = 'BLOB'", 'other');
      const { items } = await allTriggers(driver.store);
      expect(items.map(({ trigger: { key, unreadable: cause } }) => [key.name, cause !== undefined])).toEqual([
        ['bad', true],
        ['good', false],
        ['other', true],
      ]);
      expect(items[0]?.trigger).toMatchObject({ kind: 'SIMPLE', repeatInterval: MINUTE, nextFireTime: NOW, data: {} });
      await driver.store.pauseTriggers([triggerKey('bad')]);
      await driver.store.resumeTriggers([triggerKey('bad')], driver.options);
      expect((await driver.register(everyMinute('bad'))).status).toBe('replaced');
      expect(await driver.state('bad')).toBe('WAITING');
      expect((await driver.applyOne({ type: 'deleteTrigger', key: triggerKey('other') })).status).toBe('deleted');
      expect((await driver.applyOne({ type: 'deleteJob', key: jobKey('job') })).deletedTriggers).toHaveLength(2);
    });

    it('do not fire the same time again after they are replaced', async () => {
      await driver.scheduleAll(everyMinute());
      await driver.complete(await driver.fireOne());
      await alter('TRIGGERS', "JOB_DATA = '{'", 'trigger');
      expect((await driver.register(everyMinute())).nextFireTime).toBe(NOW + MINUTE);
    });

    it('leave triggers with a calendar that only Java can read to Java nodes', async () => {
      await driver.applyOne(storingCalendar(without()));
      await driver.scheduleAll(everyNoon('bad', { calendarName: 'holidays' }), everyMinute('good'));
      await database.query("UPDATE QRTZ_CALENDARS SET CALENDAR = UNHEX('ACED0005') WHERE SCHED_NAME = ?", [
        node.schedName,
      ]);
      expect(namesOf(await driver.fireDue())).toEqual(['good']);
      expect(unreadable).toMatchObject([
        { what: 'calendar', name: 'holidays', cause: expect.stringMatching(/Java serialised/) },
      ]);
      await expect(driver.store.getCalendar('holidays')).rejects.toMatchObject({ code: 'INVALID_CALENDAR' });
      await driver.applyOne({ ...storingCalendar(without(), 'replace'), updateTriggers: false });
      expect(namesOf(await driver.fireDue())).toEqual(['bad']);
    });

    it('set a reserved trigger to ERROR if its calendar row is missing', async () => {
      await driver.applyOne(storingCalendar(without()));
      await driver.scheduleAll(everyNoon('trigger', { calendarName: 'holidays' }));
      const acquired = await driver.acquireOne();
      await database.query('DELETE FROM QRTZ_CALENDARS WHERE SCHED_NAME = ?', [node.schedName]);
      expect(await driver.fire(acquired)).toMatchObject([{ status: 'notFired', reason: 'calendarMissing' }]);
      expect(await driver.state()).toBe('ERROR');
    });

    it('leave a trigger with an invalid schedule to other nodes', async () => {
      await driver.scheduleAll(everyNoon('bad', { misfireInstruction: 'DO_NOTHING' }), everyMinute('good'));
      await alter('CRON_TRIGGERS', "CRON_EXPRESSION = 'nonsense'", 'bad');
      const { fired } = await driver.store.acquireTriggers(driver.request({ fireWithin: 0 }));
      expect(fired.map((result) => (result.status === 'fired' ? 'fired' : result.reason)).sort()).toEqual([
        'fired',
        'invalid',
      ]);
      expect(await driver.state('bad')).toBe('WAITING');
      expect(unreadable).toMatchObject([{ what: 'trigger', name: 'bad', cause: expect.stringMatching(/nonsense/) }]);
      driver.now = NOW + HOUR;
      expect((await driver.recoverMisfires()).misfired.map(({ key }) => key.name)).toEqual(['good']);
      expect(await driver.state('bad')).toBe('WAITING');
      expect(told()).toEqual(['trigger bad']);
    });

    it('release a reserved trigger whose schedule turns out to be invalid', async () => {
      await driver.scheduleAll(everyNoon('bad'));
      const acquired = await driver.acquireOne();
      await alter('CRON_TRIGGERS', "CRON_EXPRESSION = 'nonsense'", 'bad');
      expect(await driver.fire(acquired)).toMatchObject([{ status: 'notFired', reason: 'invalid' }]);
      expect(await driver.state('bad')).toBe('WAITING');
      expect(
        await database.query('SELECT * FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = ?', [node.schedName]),
      ).toHaveLength(0);
    });
  });

  describe('in the format of Java', () => {
    const daily: Trigger = {
      ...once('daily'),
      kind: 'DAILY_I',
      repeatInterval: 90,
      repeatIntervalUnit: 'MINUTE',
      startTimeOfDay: { hour: 8, minute: 0, second: 0 },
      endTimeOfDay: null,
      daysOfWeek: [2, 4, 6],
      repeatCount: -1,
      timeZone: 'Asia/Tokyo',
      misfireInstruction: 'SMART_POLICY',
    };

    const text3 = async () =>
      (
        await database.query<{ t: string }>('SELECT STR_PROP_3 AS t FROM QRTZ_SIMPROP_TRIGGERS WHERE SCHED_NAME = ?', [
          node.schedName,
        ])
      )[0]?.t;

    it('keep the time zone of a daily trigger in a field that Java ignores', async () => {
      await driver.scheduleAll(daily);
      expect(await text3()).toBe('8,0,0,23,59,59,Asia/Tokyo,open');
      expect(await driver.trigger('daily')).toMatchObject({ timeZone: 'Asia/Tokyo', endTimeOfDay: null });
    });

    it.each([
      ['8,0,0,17,30,0', { hour: 17, minute: 30, second: 0 }],
      ['8,0,0,,,', null],
    ])('use the default time zone if they have none: %s', async (text, endTimeOfDay) => {
      await open({ timeZone: 'Europe/Berlin' });
      await driver.scheduleAll(daily);
      await alter('SIMPROP_TRIGGERS', 'STR_PROP_3 = ?', 'daily', text);
      expect(await driver.trigger('daily')).toMatchObject({ timeZone: 'Europe/Berlin', endTimeOfDay });
    });

    it('store a missing time as -1, a missing end as 0, and flags as 1 and 0', async () => {
      await driver.schedule(job('job', { requestsRecovery: true }), once('trigger', { startTime: NOW + HOUR }));
      const [row] = await database.query('SELECT * FROM QRTZ_TRIGGERS WHERE SCHED_NAME = ?', [node.schedName]);
      expect(row).toMatchObject({
        PREV_FIRE_TIME: -1,
        END_TIME: 0,
        NEXT_FIRE_TIME: NOW + HOUR,
        MISFIRE_INSTR: 0,
        JOB_DATA: null,
      });
      const [stored] = await database.query('SELECT * FROM QRTZ_JOB_DETAILS WHERE SCHED_NAME = ?', [node.schedName]);
      expect(stored).toMatchObject({
        IS_DURABLE: '0',
        REQUESTS_RECOVERY: '1',
        IS_NONCONCURRENT: '0',
        JOB_CLASS_NAME: 'sample',
      });
    });

    it('name the job in a firing but not in a reservation', async () => {
      await driver.schedule(job('job', { disallowConcurrentExecution: true, requestsRecovery: true }), everyMinute());
      const fired = () => database.query('SELECT * FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = ?', [node.schedName]);
      const acquired = await driver.acquireOne();
      expect(await fired()).toMatchObject([
        { STATE: 'ACQUIRED', JOB_NAME: null, IS_NONCONCURRENT: '0', SCHED_TIME: NOW },
      ]);
      await driver.fire(acquired);
      expect(await fired()).toMatchObject([
        {
          STATE: 'EXECUTING',
          JOB_NAME: 'job',
          IS_NONCONCURRENT: '1',
          REQUESTS_RECOVERY: '1',
          INSTANCE_NAME: 'node',
          FIRED_TIME: NOW,
        },
      ]);
    });

    it('do not run an executing job twice after Java has released its trigger', async () => {
      await driver.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('a'), everyMinute('b'));
      const firing = await driver.fireOne();
      await alter('TRIGGERS', "TRIGGER_STATE = 'WAITING'", 'b');
      expect(await driver.acquire({ noLaterThan: NOW + HOUR })).toEqual([]);
      await driver.complete(firing);
      expect(await driver.acquire({ noLaterThan: NOW })).toHaveLength(1);
    });
  });

  describe('with job data', () => {
    const dataOf = async () =>
      (
        await database.query<{ d: Buffer | null }>('SELECT JOB_DATA AS d FROM QRTZ_JOB_DETAILS WHERE SCHED_NAME = ?', [
          node.schedName,
        ])
      )[0]?.d;
    const persistent = (fields: Partial<JobDetail> = {}) =>
      job('job', { persistJobDataAfterExecution: true, ...fields });
    const setData = (text: string) =>
      database.query('UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = ? WHERE SCHED_NAME = ?', [text, node.schedName]);

    it('store JSON in new rows, or Properties if configured', async () => {
      await driver.schedule(persistent({ data: { a: 1 } }), everyMinute('t', { data: { b: '2' } }));
      expect(String(await dataOf())).toBe('{"a":1}');
      await open({ newDataForm: 'properties' });
      await driver.schedule(persistent({ data: { a: 'ä' } }), everyMinute('t', { data: { b: '2' } }));
      expect(String(await dataOf())).toBe('#\na=\\u00E4\n');
      expect((await driver.fireOne()).trigger.data).toEqual({ b: '2' });
      await expect(driver.schedule(job('other', { data: { a: 1 } }))).rejects.toMatchObject({
        code: 'INVALID_JOB_DATA',
      });
    });

    it('keep the format in which the data was read', async () => {
      await driver.schedule(persistent({ data: { count: '0' } }), everyMinute());
      await setData('#\n#Sat Jun 15 12:00:00 UTC 2024\ncount=1\n');
      const firing = await driver.fireOne();
      expect(firing.jobDetail.data).toEqual({ count: '1' });
      await driver.complete(firing, 'NOOP', { jobData: { count: '2' } });
      expect(String(await dataOf())).toBe('#\ncount=2\n');
      await driver.applyOne({
        type: 'storeJob',
        job: persistent({ data: { count: '3' } }),
        ifExists: 'replace',
        requireTrigger: false,
      });
      expect(String(await dataOf())).toBe('#\ncount=3\n');
    });

    it('report data that their format cannot hold, and still complete the execution', async () => {
      await driver.schedule(persistent({ data: { count: '0' } }), everyMinute());
      await setData('count=1\n');
      expect(await driver.complete(await driver.fireOne(), 'NOOP', { jobData: { count: 2 } })).toMatchObject({
        status: 'completed',
      });
      expect(String(await dataOf())).toBe('count=1\n');
      expect(problems).toMatchObject([{ what: 'job', name: 'DEFAULT/job', error: { code: 'INVALID_JOB_DATA' } }]);
    });
  });
});
