import type { CalendarData } from '../../src/domain/calendars/calendar';
import { everyMinute, everyNoon } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
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

describeOnServer('tables that Java nodes share', () => {
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

  it('get calendars in the form of Java, whoever stored them, with the same bytes if nothing changed', async () => {
    await store('weekends', WEEKENDS);
    const before = await bytes('weekends');
    expect(before.subarray(0, 4).toString('hex')).toBe('aced0005');
    expect(await driver.store.getCalendar('weekends')).toEqual(WEEKENDS);
    await store('weekends', { ...WEEKENDS });
    expect(await bytes('weekends')).toEqual(before);
  });

  it('get no calendar that a living Java node cannot read: refused with the names of the nodes', async () => {
    await javaNode('java-1');
    await javaNode('java-2');
    await expect(store('ends', ENDS_OF_MONTHS)).rejects.toMatchObject({
      code: 'UNREADABLE_FOR_JAVA',
      message: expect.stringMatching(/'java-1', 'java-2'.*calendar 'ends'.*L or W in a list/),
    });
    expect(await bytes('ends')).toHaveLength(0);
  });

  it('get it as JSON if no Java node is alive', async () => {
    await javaNode('gone', Date.now() - 3_600_000);
    await store('ends', ENDS_OF_MONTHS);
    expect((await bytes('ends')).toString()).toBe(JSON.stringify(ENDS_OF_MONTHS));
    expect(await driver.store.getCalendar('ends')).toEqual(ENDS_OF_MONTHS);
  });

  it('get no cron trigger whose expression stops a living Java node', async () => {
    await javaNode('java-1');
    const trigger = { ...everyNoon('ends'), cronExpression: '0 0 12 L,15 * ?' };
    proves('errors', 'UNREADABLE_FOR_JAVA');
    await expect(driver.scheduleAll(trigger as never)).rejects.toMatchObject({ code: 'UNREADABLE_FOR_JAVA' });
    await driver.scheduleAll(everyNoon('noon'));
    expect(await driver.state('noon')).toBe('WAITING');
  });

  it('keep a calendar of a class of your own from this node only, until it is replaced', async () => {
    await store('own', WEEKENDS);
    await driver.scheduleAll(everyMinute('uses', { calendarName: 'own' }));
    await database.query('UPDATE QRTZ_CALENDARS SET CALENDAR = ? WHERE SCHED_NAME = ?', [OWN_CLASS, schedName]);
    await expect(driver.store.getCalendar('own')).rejects.toThrow(/class com\.x\.Cal/);
    await store('own', WEEKENDS);
    expect(await driver.store.getCalendar('own')).toEqual(WEEKENDS);
    expect(await driver.state('uses')).toBe('WAITING');
  });
});
