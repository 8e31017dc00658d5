import fc from 'fast-check';
import type { Calendar } from '../../src/domain/calendars/calendar';
import { DailyCalendar } from '../../src/domain/calendars/daily-calendar';
import { MonthlyCalendar } from '../../src/domain/calendars/monthly-calendar';
import { WeeklyCalendar } from '../../src/domain/calendars/weekly-calendar';
import { afterMisfire } from '../../src/domain/misfire';
import type { Trigger } from '../../src/domain/trigger';
import {
  afterFiring,
  computeFireTimes,
  fireTimeAfter,
  scheduled,
  validateTrigger,
} from '../../src/domain/trigger-behaviour';
import { runsOf } from '../support/long-forms';
import {
  calendarIntervalTrigger,
  cronTrigger,
  dailyTimeIntervalTrigger,
  simpleTrigger,
} from '../support/sample-triggers';

const settings = {
  numRuns: runsOf(200),
  ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }),
};

const DAY = 86_400_000;
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
);
const start = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2040, 0, 1) });
const span = fc.option(fc.integer({ min: 0, max: 400 * DAY }), { nil: null });
const repeatCount = fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 30 }));
const hour = fc.integer({ min: 0, max: 23 });
const sixty = fc.integer({ min: 0, max: 59 });
const timeOfDay = fc.record({ hour, minute: sixty, second: sixty });

const simple = fc
  .record({ repeatCount, repeatInterval: fc.integer({ min: 1, max: 90 * DAY }) })
  .map((fields): Trigger => simpleTrigger(fields));
const cron = fc
  .record({
    timeZone: zone,
    cronExpression: fc
      .tuple(sixty, sixty, hour, fc.constantFrom('* * ?', '? * MON-FRI', 'L * ?', '15W * ?', '? * 6#3', '29 2 ?'))
      .map(([second, minute, at, days]) => `${second} ${minute}/17 ${at}-23/3 ${days}`),
  })
  .map((fields): Trigger => cronTrigger(fields));
const calendarInterval = fc
  .record({
    repeatInterval: fc.integer({ min: 1, max: 50 }),
    repeatIntervalUnit: fc.constantFrom('SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'),
    timeZone: zone,
    preserveHourOfDayAcrossDaylightSavings: fc.boolean(),
    skipDayIfHourDoesNotExist: fc.boolean(),
  })
  .map((fields): Trigger => calendarIntervalTrigger(fields));
const dailyTimeInterval = fc
  .record({
    repeatInterval: fc.integer({ min: 1, max: 24 }),
    repeatIntervalUnit: fc.constantFrom('SECOND', 'MINUTE', 'HOUR'),
    startTimeOfDay: timeOfDay,
    endTimeOfDay: fc.constantFrom({ hour: 23, minute: 59, second: 59 }, null),
    daysOfWeek: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    timeZone: zone,
    repeatCount,
  })
  .map((fields): Trigger => dailyTimeIntervalTrigger(fields));

const trigger = fc.tuple(fc.oneof(simple, cron, calendarInterval, dailyTimeInterval), start, span).map(
  ([each, startTime, length]): Trigger => ({
    ...each,
    startTime,
    endTime: length === null ? null : startTime + length,
  }),
);
const calendar = fc.oneof(
  fc.constant(null),
  fc
    .record({ timeZone: zone, excludedDays: fc.subarray([1, 2, 3, 4, 5, 6, 7]) })
    .map((fields) => new WeeklyCalendar(fields)),
  fc
    .record({ timeZone: zone, excludedDays: fc.subarray([1, 2, 15, 29, 31]) })
    .map((fields) => new MonthlyCalendar(fields)),
  fc
    .record({
      timeZone: zone,
      from: fc.constantFrom('00:30', '08:00'),
      to: fc.constantFrom('09:00', '20:15'),
      invert: fc.boolean(),
    })
    .map((fields) => new DailyCalendar(fields)),
);

/** First fire times, computed by one firing after another. */
function walk(from: Trigger, excluded: Calendar | null, count: number): number[] {
  const times: number[] = [];
  for (let next = scheduled(from, excluded); times.length < count; next = afterFiring(next, excluded)) {
    if (next.nextFireTime === null) break;
    times.push(next.nextFireTime);
  }
  return times;
}

describe('triggers of every kind', () => {
  it('are valid as this test generates them', () => {
    fc.assert(
      fc.property(trigger, (each) => expect(() => validateTrigger(each)).not.toThrow()),
      settings,
    );
  });

  it('fire at strictly increasing times, none of which is excluded', () => {
    fc.assert(
      fc.property(trigger, calendar, (each, excluded) => {
        const times = walk(each, excluded, 20);
        expect(times.every((time, i) => i === 0 || time > (times[i - 1] as number))).toBe(true);
        expect(times.every((time) => excluded?.isIncluded(time) ?? true)).toBe(true);
      }),
      settings,
    );
  });

  it('have a next fire time later than any given time', () => {
    fc.assert(
      fc.property(trigger, fc.integer({ min: -1_000 * DAY, max: 4_000 * DAY }), (each, distance) => {
        const after = each.startTime + distance;
        const next = fireTimeAfter(each, after);
        expect(next === null || next > after).toBe(true);
      }),
      settings,
    );
  });

  it('fire at the times that were computed in advance', () => {
    fc.assert(
      fc.property(trigger, calendar, (each, excluded) => {
        expect(computeFireTimes(each, excluded, 15)).toEqual(walk(each, excluded, 15));
      }),
      settings,
    );
  });

  it('skip only times that the calendar excludes', () => {
    fc.assert(
      fc.property(trigger, calendar, (each, excluded) => {
        const first = scheduled(each, excluded).nextFireTime;
        let plain = scheduled(each, null).nextFireTime;
        for (let i = 0; i < 2_000 && plain !== null && plain !== first; i++) {
          expect(excluded?.isIncluded(plain)).toBe(false);
          plain = fireTimeAfter(each, plain);
        }
      }),
      settings,
    );
  });

  it('fire at or after the current time following a misfire, or not at all', () => {
    fc.assert(
      fc.property(trigger, calendar, fc.integer({ min: 1, max: 300 * DAY }), (each, excluded, late) => {
        const due = scheduled(each, excluded);
        fc.pre(due.nextFireTime !== null);
        const now = (due.nextFireTime as number) + late;
        const next = afterMisfire(due, now, excluded).nextFireTime;
        expect(next === null || next >= now).toBe(true);
      }),
      settings,
    );
  });
});
