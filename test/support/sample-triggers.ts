import { NO_DATA } from '../../src/domain/job-data';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type {
  CalendarIntervalTrigger,
  CronTrigger,
  DailyTimeIntervalTrigger,
  SimpleTrigger,
} from '../../src/domain/trigger';

/** 2026-03-02T09:00:00Z, a Monday. */
export const START = Date.UTC(2026, 2, 2, 9);

const common = {
  key: triggerKey('trigger'),
  jobKey: jobKey('job'),
  description: null,
  data: NO_DATA,
  priority: 5,
  startTime: START,
  endTime: null,
  calendarName: null,
  nextFireTime: null,
  previousFireTime: null,
  misfireInstruction: 'SMART_POLICY',
} as const;

/** Every minute, without an end. */
export function simpleTrigger(changes: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return { ...common, kind: 'SIMPLE', repeatCount: -1, repeatInterval: 60_000, timesTriggered: 0, ...changes };
}

/** Every day at noon, UTC. */
export function cronTrigger(changes: Partial<CronTrigger> = {}): CronTrigger {
  return { ...common, kind: 'CRON', cronExpression: '0 0 12 * * ?', timeZone: 'UTC', ...changes };
}

/** Every day, UTC. */
export function calendarIntervalTrigger(changes: Partial<CalendarIntervalTrigger> = {}): CalendarIntervalTrigger {
  return {
    ...common,
    kind: 'CAL_INT',
    repeatInterval: 1,
    repeatIntervalUnit: 'DAY',
    timeZone: 'UTC',
    preserveHourOfDayAcrossDaylightSavings: false,
    skipDayIfHourDoesNotExist: false,
    timesTriggered: 0,
    ...changes,
  };
}

/** Every hour from 8 to 17, UTC. */
export function dailyTimeIntervalTrigger(changes: Partial<DailyTimeIntervalTrigger> = {}): DailyTimeIntervalTrigger {
  return {
    ...common,
    kind: 'DAILY_I',
    repeatInterval: 1,
    repeatIntervalUnit: 'HOUR',
    startTimeOfDay: { hour: 8, minute: 0, second: 0 },
    endTimeOfDay: { hour: 17, minute: 0, second: 0 },
    daysOfWeek: [1, 2, 3, 4, 5, 6, 7],
    repeatCount: -1,
    timeZone: 'UTC',
    timesTriggered: 0,
    ...changes,
  };
}
