import { javaClass } from './java-objects';

/* Classes of Quartz's calendars, and the classes of Java that they contain. The numbers are those of Quartz 2.3.2; other versions of 2.x have the same. */

const PACKAGE = 'org.quartz.impl.calendar';

export const BASE = javaClass(`${PACKAGE}.BaseCalendar`, {
  uid: 3106623404629760239n,
  fields: { baseCalendar: 'org.quartz.Calendar', description: 'java.lang.String', timeZone: 'java.util.TimeZone' },
});
export const ANNUAL = javaClass(`${PACKAGE}.AnnualCalendar`, {
  uid: 7346867105876610961n,
  fields: { dataSorted: 'Z', excludeDays: 'java.util.ArrayList' },
  parent: BASE,
});
export const CRON = javaClass(`${PACKAGE}.CronCalendar`, {
  uid: -8172103999750856831n,
  fields: { cronExpression: 'org.quartz.CronExpression' },
  parent: BASE,
});
export const DAILY = javaClass(`${PACKAGE}.DailyCalendar`, {
  uid: -7561220099904944039n,
  fields: {
    invertTimeRange: 'Z',
    rangeEndingHourOfDay: 'I',
    rangeEndingMillis: 'I',
    rangeEndingMinute: 'I',
    rangeEndingSecond: 'I',
    rangeStartingHourOfDay: 'I',
    rangeStartingMillis: 'I',
    rangeStartingMinute: 'I',
    rangeStartingSecond: 'I',
  },
  parent: BASE,
});
export const HOLIDAY = javaClass(`${PACKAGE}.HolidayCalendar`, {
  uid: -7590908752291814693n,
  fields: { dates: 'java.util.TreeSet' },
  parent: BASE,
});
export const MONTHLY = javaClass(`${PACKAGE}.MonthlyCalendar`, {
  uid: 419164961091807944n,
  fields: { excludeAll: 'Z', excludeDays: '[Z' },
  parent: BASE,
});
export const WEEKLY = javaClass(`${PACKAGE}.WeeklyCalendar`, {
  uid: -6809298821229007586n,
  fields: { excludeAll: 'Z', excludeDays: '[Z' },
  parent: BASE,
});

export const CRON_EXPRESSION = javaClass('org.quartz.CronExpression', {
  uid: 12423409423n,
  fields: { cronExpression: 'java.lang.String', timeZone: 'java.util.TimeZone' },
});
export const ARRAY_LIST = javaClass('java.util.ArrayList', {
  uid: 8683452581122892189n,
  fields: { size: 'I' },
  writes: true,
});
export const TREE_SET = javaClass('java.util.TreeSet', { uid: -2479143000061671589n, writes: true });
export const DATE = javaClass('java.util.Date', { uid: 7523967970034938905n, writes: true });

/** Name of the class whose part of a date of Java contains the time and the zone. */
export const JAVA_CALENDAR = 'java.util.Calendar';
