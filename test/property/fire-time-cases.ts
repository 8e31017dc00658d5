import fc from 'fast-check';
import type { Calendar } from '../../src/domain/calendars/calendar';
import { calendarFrom } from '../../src/domain/calendars/calendar-from-data';
import { timeZoneOf } from '../../src/domain/time/time-zone';
import type { IntervalUnit, Trigger } from '../../src/domain/trigger';
import {
  calendarIntervalTrigger,
  cronTrigger,
  dailyTimeIntervalTrigger,
  simpleTrigger,
} from '../support/sample-triggers';

/*
 * Triggers and calendar chains of all kinds around clock changes: at midnight, across midnight, by half an hour, by two hours
 * and by a day, forwards and backwards.
 */

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** A trigger, a calendar that excludes some of its times, and a clock change near its start. */
export interface FireTimeCase {
  readonly trigger: Trigger;
  readonly calendar: Calendar;
  readonly change: number;
}

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Santiago',
  'America/Havana',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'America/Nuuk',
  'America/Sao_Paulo',
  'Asia/Tehran',
  'Antarctica/Troll',
  'Pacific/Apia',
  'Asia/Gaza',
  'Africa/Casablanca',
];
const STEADY_ZONES = ['UTC', 'Asia/Kathmandu'];

interface Place {
  readonly zone: string;
  readonly change: number;
}

/** All clock changes from 2000 to 2040. */
const PLACES: readonly Place[] = ZONES.flatMap((zone) => {
  const offsets = timeZoneOf(zone);
  const places: Place[] = [];
  for (let at = Date.UTC(2000, 0, 1); at < Date.UTC(2040, 0, 1); at = offsets.steadyUntil(at)) {
    if (offsets.offsetAt(at) !== offsets.offsetAt(at - 1)) places.push({ zone, change: at });
  }
  return places;
});

const pad = (n: number) => String(n).padStart(2, '0');
const sixty = fc.integer({ min: 0, max: 59 });
const round = fc.constantFrom(0, 0, 0, 15, 30, 45);
/** Hours of the day, mainly those in which clocks change. */
const hour = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1, 2, 3, 22, 23) }, fc.integer({ min: 0, max: 23 }));
const daysOfWeek = fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 });

const zoneAt = ({ zone }: Place) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(zone) },
    { weight: 1, arbitrary: fc.constantFrom(...ZONES) },
    { weight: 1, arbitrary: fc.constantFrom(...STEADY_ZONES) },
  );

/** Days from five days before the change to five days after it, as UTC dates. */
const datesAt = ({ change }: Place, maxLength: number) =>
  fc.array(
    fc.integer({ min: -5, max: 5 }).map((days) => new Date(change + days * DAY)),
    { maxLength },
  );

const hours = fc.oneof(
  fc.constant('*'),
  hour.map(String),
  fc.tuple(hour, hour).map(([a, b]) => `${a}-${b}`),
  fc.tuple(hour, hour).map(([a, b]) => `${a},${b}`),
);
const minutes = fc.oneof(fc.constantFrom('*', '0', '0/5', '0/15', '0-29', '30-59', '15', '30'), sixty.map(String));
const cronDays = fc.constantFrom(
  '* * ?',
  '* * ?',
  '? * MON-FRI',
  '? * SAT,SUN',
  '? * SUN',
  'L * ?',
  '? * SUNL',
  '1-15 * ?',
);
const cronText = (seconds: fc.Arbitrary<string>) =>
  fc.tuple(seconds, minutes, hours, cronDays).map((each) => each.join(' '));

const timeOfDayText = fc
  .tuple(hour, round, fc.constantFrom('', '', ':30', ':59:999'))
  .map(([h, m, rest]) => `${pad(h)}:${pad(m)}${rest}`);

/** Fields of one calendar of any type. */
const linkAt = (place: Place) =>
  fc.oneof(
    fc.record({ type: fc.constant('weekly'), excludedDays: daysOfWeek }),
    fc.record({
      type: fc.constant('monthly'),
      excludedDays: datesAt(place, 4).map((dates) => dates.map((date) => date.getUTCDate())),
    }),
    fc.record({
      type: fc.constant('annual'),
      excludedDays: datesAt(place, 4).map((dates) => dates.map((date) => [date.getUTCMonth() + 1, date.getUTCDate()])),
    }),
    fc.record({
      type: fc.constant('holiday'),
      excludedDates: datesAt(place, 6).map((dates) => dates.map((date) => date.toISOString().slice(0, 10))),
    }),
    fc
      .record({ type: fc.constant('daily'), from: timeOfDayText, to: timeOfDayText, invert: fc.boolean() })
      .filter(({ from, to }) => from.slice(0, 5) < to.slice(0, 5)),
    fc.record({
      type: fc.constant('cron'),
      cronExpression: cronText(fc.constantFrom('*', '*', '0', '0/2', '0-29', '0/10')),
    }),
  );

const calendarAt = (place: Place): fc.Arbitrary<Calendar> =>
  fc
    .array(fc.tuple(linkAt(place), zoneAt(place)), { minLength: 1, maxLength: 3 })
    .map((links) => links.reduce<object | null>((base, [fields, timeZone]) => ({ ...fields, timeZone, base }), null))
    .map((data) => calendarFrom(data));

const simple = fc
  .record({
    repeatCount: fc.constantFrom(-1, -1, 5, 1_000),
    repeatInterval: fc.oneof(
      fc.constantFrom(SECOND, 7 * SECOND, MINUTE, 10 * MINUTE, 61 * MINUTE, DAY),
      fc.integer({ min: 300, max: 3 * HOUR }),
    ),
  })
  .map((fields): Trigger => simpleTrigger(fields));

const cronAt = (place: Place) =>
  fc
    .record({ timeZone: zoneAt(place), cronExpression: cronText(fc.constantFrom('0', '0', '0/10', '*', '30')) })
    .map((fields): Trigger => cronTrigger(fields));

const calendarIntervalAt = (place: Place) =>
  fc
    .tuple(
      fc.constantFrom<[IntervalUnit, number]>(
        ['SECOND', 900],
        ['MINUTE', 45],
        ['HOUR', 5],
        ['DAY', 3],
        ['WEEK', 2],
        ['MONTH', 3],
        ['YEAR', 1],
      ),
      fc.record({
        timeZone: zoneAt(place),
        preserveHourOfDayAcrossDaylightSavings: fc.boolean(),
        skipDayIfHourDoesNotExist: fc.boolean(),
      }),
    )
    .chain(([[repeatIntervalUnit, most], fields]) =>
      fc
        .integer({ min: 1, max: most })
        .map((repeatInterval): Trigger => calendarIntervalTrigger({ ...fields, repeatIntervalUnit, repeatInterval })),
    );

const dailyTimeIntervalAt = (place: Place) =>
  fc
    .record({
      interval: fc.constantFrom<['SECOND' | 'MINUTE' | 'HOUR', number]>(
        ['SECOND', 45],
        ['MINUTE', 1],
        ['MINUTE', 30],
        ['MINUTE', 50],
        ['HOUR', 1],
        ['HOUR', 5],
      ),
      times: fc.tuple(fc.tuple(hour, round), fc.tuple(hour, round)),
      isOpen: fc.boolean(),
      daysOfWeek,
      timeZone: zoneAt(place),
      repeatCount: fc.constantFrom(-1, -1, -1, 30),
    })
    .map(({ interval, times, isOpen, ...fields }): Trigger => {
      const [first, last] = times
        .map(([h, m]) => ({ hour: h, minute: m, second: 0 }))
        .sort((a, b) => a.hour - b.hour || a.minute - b.minute);
      const [repeatIntervalUnit, repeatInterval] = interval;
      const endTimeOfDay = isOpen ? null : (last as { hour: number; minute: number; second: number });
      return dailyTimeIntervalTrigger({
        ...fields,
        repeatIntervalUnit,
        repeatInterval,
        startTimeOfDay: first!,
        endTimeOfDay,
      });
    });

/** Milliseconds before and after a change: whole quarters of an hour, whole seconds, or any number. */
const distance = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map((n) => n * 15 * MINUTE),
  fc.integer({ min: -3 * 86_400, max: 86_400 }).map((n) => n * SECOND),
  fc.integer({ min: -3 * DAY, max: DAY }),
);
/** Mostly triggers with an end. An endless one is searched up to the last year if its calendar excludes everything. */
const life = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 96 }).map((n) => n * 15 * MINUTE) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 30 * 96 }).map((n) => n * 15 * MINUTE) },
);
/** Days since the start: calculations by days differ most if the start is long ago. */
const age = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 400 }));

export const fireTimeCases: fc.Arbitrary<FireTimeCase> = fc.constantFrom(...PLACES).chain((place) =>
  fc
    .tuple(
      fc.oneof(simple, cronAt(place), calendarIntervalAt(place), dailyTimeIntervalAt(place)),
      calendarAt(place),
      fc.tuple(distance, life, age),
    )
    .map(([trigger, calendar, [away, length, days]]) => {
      const isWalked =
        trigger.kind === 'CAL_INT' && ['DAY', 'WEEK', 'MONTH', 'YEAR'].includes(trigger.repeatIntervalUnit);
      const startTime = place.change + away - (isWalked ? days * DAY : 0);
      const endTime = length === null ? null : place.change + Math.max(away, 0) + length;
      return { trigger: { ...trigger, startTime, endTime }, calendar, change: place.change };
    }),
);
