import { atOnce } from '../../../src/base/steps';
import type { Calendar } from '../../../src/domain/calendars/calendar';
import { calendarFrom } from '../../../src/domain/calendars/calendar-from-data';
import { afterMisfire } from '../../../src/domain/misfire';
import { recomputedFireTime } from '../../../src/domain/recomputed-fire-time';
import type { Rules } from '../../../src/domain/rules';
import type { Trigger } from '../../../src/domain/trigger';
import { afterFiring, scheduled } from '../../../src/domain/trigger-behaviour';
import {
  calendarIntervalTrigger,
  cronTrigger,
  dailyTimeIntervalTrigger,
  START,
  simpleTrigger,
} from '../../support/sample-triggers';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(`2026-03-${text}Z`);

/** A trigger in `timeZone` whose stored fire times were computed while its zone had the offset of UTC. */
function stored<T extends Trigger & { readonly timeZone: string }>(trigger: T, timeZone: string): T {
  const inOldData = scheduled(trigger, null);
  return { ...inOldData, timeZone };
}

function recomputed(trigger: Trigger, now: number, calendar: Calendar | null = null, rules: Rules = 'safe') {
  const time = atOnce(recomputedFireTime(trigger, calendar, { now, rules }));
  return time === null ? null : new Date(time).toISOString();
}

const daily = cronTrigger({ cronExpression: '0 0 12 * * ?' }); // from Monday, March 2, 9:00
const EAST = 'Etc/GMT-1';
const WEST = 'Etc/GMT+1';

it.each([
  ['cron', daily, '2026-03-02T11:00:00.000Z', '2026-03-02T13:00:00.000Z'],
  [
    'daily interval',
    dailyTimeIntervalTrigger({ startTime: at('02T18:30:00') }),
    '2026-03-03T07:00:00.000Z',
    '2026-03-03T09:00:00.000Z',
  ],
])('a %s trigger fires at the time that the new time zone data gives, an hour earlier or later', (_, trigger, earlier, later) => {
  expect(recomputed(stored(trigger, EAST), at('02T09:30:00'))).toBe(earlier);
  expect(recomputed(stored(trigger, WEST), at('02T09:30:00'))).toBe(later);
});

it('a calendar interval trigger keeps its time of day when the time zone data changes', () => {
  const monthly = calendarIntervalTrigger({ repeatIntervalUnit: 'MONTH', timeZone: 'Europe/Berlin' });
  const times = { startTime: at('01T12:00:00'), previousFireTime: at('01T12:00:00') };
  const withoutSummerTime = { ...monthly, ...times, nextFireTime: at('01T12:00:00') + 31 * DAY };
  expect(recomputed(withoutSummerTime, at('02T09:30:00'))).toBe('2026-04-01T11:00:00.000Z');
});

it('a fire time that is already due does not change with the time zone data', () => {
  const trigger = stored(daily, WEST);
  expect(recomputed(trigger, at('02T12:00:00'))).toBe('2026-03-02T12:00:00.000Z');
  expect(recomputed(trigger, at('02T12:30:00'))).toBe('2026-03-02T12:00:00.000Z');
});

it('an occurrence that the new time zone data moves into the past keeps its stored fire time', () => {
  expect(recomputed(stored(daily, EAST), at('02T11:30:00'))).toBe('2026-03-02T12:00:00.000Z');
});

it('an occurrence that fired an hour early by the old time zone data does not fire again', () => {
  const ran = afterFiring(stored(daily, 'UTC'), null);
  const trigger = { ...ran, timeZone: WEST };
  expect(recomputed(trigger, at('02T12:30:00'))).toBe('2026-03-03T13:00:00.000Z');
});

it('a fire time that the new time zone data adds before the stored one becomes the next fire time', () => {
  const twice = cronTrigger({ cronExpression: '0 0 11,12 * * ?' });
  expect(recomputed(stored(twice, EAST), at('02T09:30:00'))).toBe('2026-03-02T10:00:00.000Z');
});

it('a trigger without a fire time before its end by the new time zone data keeps its stored fire time', () => {
  const ending = { ...daily, endTime: at('02T12:30:00') };
  expect(recomputed(stored(ending, WEST), at('02T09:30:00'))).toBe('2026-03-02T12:00:00.000Z');
});

const holiday = (timeZone: string) =>
  calendarFrom({ type: 'holiday', excludedDates: ['2026-03-03'], description: null, timeZone, base: null });

it('a simple trigger depends on the time zone data only through its calendar', () => {
  const trigger = {
    ...simpleTrigger({ repeatInterval: HOUR, calendarName: 'holidays' }),
    nextFireTime: at('04T00:00:00'),
  };
  expect(recomputed(trigger, at('02T23:30:00'), holiday(EAST))).toBe('2026-03-03T23:00:00.000Z');
  expect(recomputed(trigger, at('02T23:30:00'), null)).toBe('2026-03-04T00:00:00.000Z');
  const once = { ...trigger, repeatCount: 0, startTime: at('04T00:00:00') };
  expect(recomputed(once, at('02T23:30:00'), holiday(WEST))).toBe('2026-03-04T01:00:00.000Z');
  expect(recomputed(once, at('02T23:30:00'), holiday(WEST), 'quartz')).toBe('2026-03-04T00:00:00.000Z');
});

it.each([
  'safe',
  'quartz',
] as const)('no fire time changes if the time zone data is the same, after firings and misfires (%s rules)', (rules) => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York'];
  const calendars = [null, ...zones.map(holiday)];
  const triggers = zones.flatMap((timeZone): Trigger[] => [
    cronTrigger({ timeZone, cronExpression: '0 30 2 * * ?' }),
    cronTrigger({ timeZone, cronExpression: '0 0/30 1-3 * * ?', policy: { clockChanges: 'natural' } }),
    calendarIntervalTrigger({ timeZone, startTime: at('01T01:30:00') }),
    dailyTimeIntervalTrigger({ timeZone }),
    simpleTrigger({ repeatInterval: 7 * HOUR }),
    simpleTrigger({ repeatCount: 0, startTime: at('05T00:30:00') }),
  ]);
  let compared = 0;
  for (const trigger of triggers)
    for (const calendar of calendars) {
      const bound = { ...trigger, calendarName: calendar === null ? null : 'holidays' } as Trigger;
      let current = scheduled(bound, calendar, rules);
      let since = START;
      for (let firing = 0; firing < 16 && current.nextFireTime !== null; firing++) {
        const next: number = current.nextFireTime;
        for (const now of [Math.max(since, next - 1), Math.max(since, next - HOUR), since]) {
          expect(atOnce(recomputedFireTime(current, calendar, { now, rules }))).toBe(next);
          compared++;
        }
        const isMissed = firing % 5 === 4;
        since = isMissed ? next + DAY : next;
        current = isMissed ? afterMisfire(current, since, calendar, rules) : afterFiring(current, calendar, rules);
      }
    }
  expect(compared).toBeGreaterThan(2_000);
});
