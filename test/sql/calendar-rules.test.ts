import { DEFAULT_POLICY } from '../../src/domain/execution-policy';
import { DAY, everyNoon, HOUR, job, NOW, SECOND } from '../conformance/samples';
import { StoreDriver, storingCalendar } from '../conformance/store-driver';
import { openSqliteStores, storeOn, testNode } from '../support/database/sql-store';

/** Excludes 13:00 to 14:00, and under Quartz's rules midnight. */
const LUNCH = {
  type: 'daily',
  from: '13:00',
  to: '14:00',
  invert: false,
  description: null,
  timeZone: 'UTC',
  base: null,
} as const;

it.each([
  { rules: 'safe' as const, first: NOW + 12 * HOUR },
  { rules: 'quartz' as const, first: NOW + DAY },
])('a new trigger follows its stored calendar under the rules of its scheduler ($rules)', async ({ rules, first }) => {
  const database = await openSqliteStores();
  const driver = new StoreDriver(storeOn(database, testNode({ policy: { ...DEFAULT_POLICY, rules } })));
  await driver.open();
  await driver.applyOne(storingCalendar(LUNCH));
  const halfDays = { cronExpression: '0 0 0/12 * * ?', startTime: NOW + SECOND, calendarName: 'holidays' };
  await driver.schedule(job(), everyNoon('trigger', halfDays));
  expect((await driver.trigger()).nextFireTime).toBe(first);
  await database.close();
});
