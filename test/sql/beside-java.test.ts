import type { CalendarData } from '../../src/domain/calendars/calendar';
import { jobKey, triggerKey } from '../../src/domain/keys';
import { everyMinute, everyNoon, job } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { type NodeOptions, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { proves } from '../support/proves';

const UTC = { description: null, timeZone: 'UTC', base: null };
const WEEKENDS: CalendarData = { type: 'weekly', excludedDays: [1, 7], ...UTC };
/** Quartz 2.3.2 refuses `L` in a list. */
const ENDS_OF_MONTHS: CalendarData = { type: 'cron', cronExpression: '* * * L,15 * ?', ...UTC };
/** The class name of a calendar that a company wrote. */
const OWN_CLASS = Buffer.concat([
  Buffer.from('aced00057372', 'hex'),
  Buffer.from([0, 9]),
  Buffer.from('com.x.Cal'),
  Buffer.alloc(8),
  Buffer.from('0200007870', 'hex'),
]);

describeOnAnyServer('tables shared with Java nodes', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;
  let driver: StoreDriver;
  let schedName: string;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    const node = testNode({ problems: [], unreadable: [] });
    schedName = node.schedName;
    driver = new StoreDriver(storeOn(stores, node));
    await driver.open();
  });

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  const dataOf = async (table: 'JOB_DETAILS' | 'TRIGGERS', name: string) => {
    const column = table === 'TRIGGERS' ? 'TRIGGER_NAME' : 'JOB_NAME';
    const [row] = (await database.query(`SELECT JOB_DATA FROM QRTZ_${table} WHERE SCHED_NAME = ? AND ${column} = ?`, [
      schedName,
      name,
    ])) as unknown as { JOB_DATA: Uint8Array | null }[];
    return Buffer.from(row?.JOB_DATA ?? []);
  };
  const isJava = (stored: Buffer) => stored.subarray(0, 2).toString('hex') === 'aced';

  /** A second store of the same scheduler that has just started and has not detected other nodes yet. */
  async function another(options: NodeOptions = {}): Promise<StoreDriver> {
    const other = new StoreDriver(storeOn(stores, testNode({ schedName, ...options })));
    await other.open();
    return other;
  }

  const javaNode = (name: string, checkIn = Date.now()) =>
    database.query('INSERT INTO QRTZ_SCHEDULER_STATE VALUES (?, ?, ?, 7500)', [schedName, name, checkIn]);
  const store = (name: string, calendar: CalendarData) =>
    driver.applyOne({ type: 'storeCalendar', name, calendar, ifExists: 'replace', updateTriggers: true });
  const bytes = async (name: string) => {
    const rows = await database.query(
      'SELECT CALENDAR FROM QRTZ_CALENDARS WHERE SCHED_NAME = ? AND CALENDAR_NAME = ?',
      [schedName, name],
    );
    return Buffer.from((rows as unknown as { CALENDAR: Uint8Array }[])[0]?.CALENDAR ?? []);
  };

  it('store calendars in the format of Java, with the same bytes if nothing changed', async () => {
    await store('weekends', WEEKENDS);
    const before = await bytes('weekends');
    expect(before.subarray(0, 4).toString('hex')).toBe('aced0005');
    expect(await driver.store.getCalendar('weekends')).toEqual(WEEKENDS);
    await store('weekends', { ...WEEKENDS });
    expect(await bytes('weekends')).toEqual(before);
  });

  it('refuse a calendar that a living Java node cannot read, with the names of the nodes', async () => {
    await javaNode('java-1');
    await javaNode('java-2');
    await expect(store('ends', ENDS_OF_MONTHS)).rejects.toMatchObject({
      code: 'UNREADABLE_FOR_JAVA',
      message: expect.stringMatching(/'java-1', 'java-2'.*calendar 'ends'.*L or W in a list/),
    });
    expect(await bytes('ends')).toHaveLength(0);
  });

  it('store a calendar that Java cannot read as JSON if no Java node is alive', async () => {
    await javaNode('gone', Date.now() - 3_600_000);
    await store('ends', ENDS_OF_MONTHS);
    expect((await bytes('ends')).toString()).toBe(JSON.stringify(ENDS_OF_MONTHS));
    expect(await driver.store.getCalendar('ends')).toEqual(ENDS_OF_MONTHS);
  });

  it('refuse a cron trigger whose expression would stop a living Java node', async () => {
    await javaNode('java-1');
    const trigger = { ...everyNoon('ends'), cronExpression: '0 0 12 L,15 * ?' };
    proves('errors', 'UNREADABLE_FOR_JAVA');
    await expect(driver.scheduleAll(trigger as never)).rejects.toMatchObject({ code: 'UNREADABLE_FOR_JAVA' });
    await driver.scheduleAll(everyNoon('noon'));
    expect(await driver.state('noon')).toBe('WAITING');
  });

  it('store job data in Java serialization if a Java node is alive, otherwise as JSON', async () => {
    const data = { to: 'ops', count: 3, list: [1.5, null, { deep: true }] };
    await driver.schedule(job('early', { data }), everyMinute('early', { data, jobKey: jobKey('early') }));
    expect([await dataOf('JOB_DETAILS', 'early'), await dataOf('TRIGGERS', 'early')].map(isJava)).toEqual([
      false,
      false,
    ]);
    await javaNode('java-1');
    const joined = await another();
    await joined.schedule(job('late', { data }), everyMinute('late', { data, jobKey: jobKey('late') }));
    const stored = [await dataOf('JOB_DETAILS', 'late'), await dataOf('TRIGGERS', 'late')];
    expect(stored.map(isJava)).toEqual([true, true]);
    expect(await joined.job('late')).toMatchObject({ data });
    expect((await joined.trigger('late')).data).toEqual(data);

    await joined.schedule(job('none'), everyMinute('none', { jobKey: jobKey('none') }));
    expect(await dataOf('JOB_DETAILS', 'none')).toHaveLength(0);
  });

  it('convert JSON data to Java serialization when it is stored again, also data returned by a run', async () => {
    const data = { count: 1 };
    const counting = { persistJobDataAfterExecution: true, disallowConcurrentExecution: true, data };
    await driver.schedule(job('job', counting), everyMinute('trigger', { data }));
    await javaNode('java-1');
    const joined = await another();
    await joined.register(everyMinute('trigger', { data, description: 'changed' }));
    expect(isJava(await dataOf('TRIGGERS', 'trigger'))).toBe(true);
    expect(isJava(await dataOf('JOB_DETAILS', 'job'))).toBe(false);
    const further = { ...everyMinute('retry', { repeatCount: 0 }), key: triggerKey('retry', 'RECOVERING_JOBS') };
    await joined.complete(await joined.fireOne(), 'NOOP', {
      jobData: { count: 2 },
      further: [{ ...further, data: { QRTZ_X_ATTEMPT: '2', nested: { a: 1 } } }],
    });
    expect(isJava(await dataOf('JOB_DETAILS', 'job'))).toBe(true);
    expect(isJava(await dataOf('TRIGGERS', 'retry'))).toBe(true);
    expect(await joined.job()).toMatchObject({ data: { count: 2 } });
  });

  it('store Properties with useProperties, and refuse non-text values with their key and type', async () => {
    await driver.scheduleAll(
      everyMinute('texts', { data: { to: 'ops' } }),
      everyMinute('numbers', { data: { count: 1 } }),
    );
    await javaNode('java-1');
    const joined = await another({ newDataForm: 'properties' });
    const added = joined.schedule(job('new'), everyMinute('new', { jobKey: jobKey('new'), data: { count: 1 } }));
    await expect(added).rejects.toMatchObject({
      code: 'INVALID_JOB_DATA',
      message: expect.stringMatching(/data\.count of trigger 'DEFAULT\/new', found a number/),
    });
    for (const [name, data] of [
      ['texts', { to: 'ops' }],
      ['numbers', { count: 1 }],
    ] as const)
      await joined.register(everyMinute(name, { data, description: 'changed' }));
    expect((await dataOf('TRIGGERS', 'texts')).toString()).toMatch(/^to=ops/m);
    expect((await dataOf('TRIGGERS', 'numbers')).toString()).toBe('{"count":1}');
  });

  it('report a calendar of an unknown Java class as unreadable until it is replaced', async () => {
    await store('own', WEEKENDS);
    await driver.scheduleAll(everyMinute('uses', { calendarName: 'own' }));
    await database.query('UPDATE QRTZ_CALENDARS SET CALENDAR = ? WHERE SCHED_NAME = ?', [OWN_CLASS, schedName]);
    await expect(driver.store.getCalendar('own')).rejects.toThrow(/class com\.x\.Cal/);
    await store('own', WEEKENDS);
    expect(await driver.store.getCalendar('own')).toEqual(WEEKENDS);
    expect(await driver.state('uses')).toBe('WAITING');
  });
});
