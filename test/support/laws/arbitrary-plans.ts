import fc from 'fast-check';
import type { CalendarData } from '../../../src/domain/calendars/calendar';
import type { ExecutionPolicy } from '../../../src/domain/execution-policy';
import type { MisfireInstruction, Trigger } from '../../../src/domain/trigger';
import { calendarIntervalTrigger, cronTrigger, dailyTimeIntervalTrigger, simpleTrigger } from '../sample-triggers';
import { clockChanges, DAY, dayOf, HOUR, localAt, MINUTE, SECOND } from './local-time';
import type { SlowCalendar, SlowPlan } from './slow-schedule';

/*
 * Schedules and calendars around a clock change, as the product stores them and as the slow oracle reads them.
 */

/** Zones with changes by an hour, by half an hour, at midnight, and none. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Santiago', 'UTC'];

export interface Place {
  readonly zone: string;
  /** Time of a clock change, if the zone has any. */
  readonly change: number;
}

export const aPlace: fc.Arbitrary<Place> = fc
  .constantFrom(...ZONES)
  .chain((zone) =>
    fc.constantFrom(...[...clockChanges(zone), Date.UTC(2026, 5, 15)].slice(0, 2)).map((change) => ({ zone, change })),
  );

export type Misfire = 'fire' | 'skip' | 'all' | 'smart' | 'restart' | 'catchUp';

export interface Definition {
  readonly plan: SlowPlan;
  readonly misfire: Misfire;
  readonly usesCalendar: boolean;
  /** True if the caller gives no start time. */
  readonly startDefaulted: boolean;
}

const misfire = fc.constantFrom<Misfire>('fire', 'skip', 'all', 'smart', 'restart', 'catchUp');
const daysOfWeek = fc.oneof(fc.constant([1, 2, 3, 4, 5, 6, 7]), fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 2 }));
const hour = fc.oneof(fc.constantFrom(0, 1, 2, 3, 23), fc.integer({ min: 0, max: 23 }));
const minutes = fc.constantFrom([0], [30], [15, 45], [0, 10, 20, 30, 40, 50]);

/** Start times relative to `now`: long ago, just before, at and after it. */
const away = fc.oneof(
  fc.constantFrom(0, -30 * SECOND, -MINUTE, -61 * SECOND, -20 * HOUR, 10 * HOUR),
  fc.integer({ min: -60 * 24, max: 12 }).map((hours) => hours * HOUR + 17 * SECOND),
);
const length = fc.option(
  fc.integer({ min: 0, max: 4 * 96 }).map((quarters) => quarters * 15 * MINUTE),
  { nil: null },
);

/** A definition whose start and end lie around `now`, which is known only when it is stored. */
export type Draft = (now: number) => Definition;

export const aDraft = ({ zone }: Place): fc.Arbitrary<Draft> => {
  const cron = fc
    .record({
      minutes,
      hours: fc.oneof(fc.constant(null), fc.uniqueArray(hour, { minLength: 1, maxLength: 3 })),
      daysOfWeek: fc.option(daysOfWeek, { nil: null }),
      isNatural: fc.boolean(),
    })
    .map((fields) => ({ kind: 'cron' as const, ...fields }));
  const every = fc
    .record({
      interval: fc.constantFrom(10 * MINUTE, 45 * MINUTE, 3 * HOUR, 25 * HOUR),
      repeats: fc.constantFrom(null, null, 0, 3, 50),
    })
    .map((fields) => ({ kind: 'every' as const, ...fields }));
  const interval = fc
    .record({
      unit: fc.constantFrom('HOUR' as const, 'DAY' as const, 'DAY' as const, 'WEEK' as const, 'MONTH' as const),
      count: fc.integer({ min: 1, max: 2 }),
      skipsMissingHours: fc.boolean(),
    })
    .map((fields) => ({ kind: 'interval' as const, ...fields }));
  const hours = fc
    .record({
      interval: fc.constantFrom(20 * MINUTE, HOUR, 5 * HOUR),
      between: fc.tuple(hour, hour),
      daysOfWeek,
    })
    .map(({ between, ...fields }) => {
      const [opens = 0, closes = 0] = [...between].sort((a, b) => a - b);
      return {
        kind: 'hours' as const,
        opens: opens * HOUR + 30 * MINUTE,
        closes: closes * HOUR + 50 * MINUTE,
        ...fields,
      };
    });
  const rest = fc.record({ away, length, misfire, usesCalendar: fc.boolean(), startDefaulted: fc.boolean() });
  return fc
    .tuple(fc.oneof(cron, every, interval, hours), rest)
    .map(([fields, { away: distance, length: span, ...others }]) => {
      return (now: number): Definition => {
        const start = others.startDefaulted ? now : now + distance;
        const end = span === null ? null : Math.max(start, now) + span;
        return { plan: { ...fields, zone, start, end }, ...others };
      };
    });
};

const timeOfDay = (time: number) => ({ hour: Math.floor(time / HOUR), minute: (time % HOUR) / MINUTE, second: 0 });

/** The definition as a trigger. */
export function triggerOf({ plan, misfire, usesCalendar }: Definition): Trigger {
  const { zone: timeZone, start: startTime, end: endTime } = plan;
  const common = { startTime, endTime, calendarName: usesCalendar ? 'calendar' : null };
  const policy: ExecutionPolicy = {
    ...(misfire === 'catchUp' && { catchUp: { max: 5, window: DAY, pace: 7 * MINUTE } }),
    ...(plan.kind === 'cron' && plan.isNatural && { clockChanges: 'natural' as const }),
  };
  const trigger = kindOf(plan, timeZone);
  const misfireInstruction = instructionOf(plan, misfire);
  const withPolicy = Object.keys(policy).length > 0 && { policy };
  return { ...trigger, ...common, misfireInstruction, ...withPolicy } as Trigger;
}

function kindOf(plan: SlowPlan, timeZone: string): Trigger {
  switch (plan.kind) {
    case 'cron': {
      const hours = plan.hours === null ? '*' : plan.hours.join(',');
      const days = plan.daysOfWeek === null ? '*' : plan.daysOfWeek.join(',');
      return cronTrigger({ timeZone, cronExpression: `0 ${plan.minutes.join(',')} ${hours} ? * ${days}` });
    }
    case 'every':
      return simpleTrigger({ repeatInterval: plan.interval, repeatCount: plan.repeats ?? -1 });
    case 'interval':
      return calendarIntervalTrigger({
        timeZone,
        repeatInterval: plan.count,
        repeatIntervalUnit: plan.unit,
        preserveHourOfDayAcrossDaylightSavings: plan.skipsMissingHours,
        skipDayIfHourDoesNotExist: plan.skipsMissingHours,
      });
    case 'hours':
      return dailyTimeIntervalTrigger({
        timeZone,
        repeatInterval: plan.interval / MINUTE,
        repeatIntervalUnit: 'MINUTE',
        startTimeOfDay: timeOfDay(plan.opens),
        endTimeOfDay: timeOfDay(plan.closes),
        daysOfWeek: [...plan.daysOfWeek],
      });
  }
}

function instructionOf({ kind }: SlowPlan, misfire: Misfire): MisfireInstruction {
  if (misfire === 'all') return 'IGNORE_MISFIRE_POLICY';
  if (misfire === 'smart' || misfire === 'catchUp') return 'SMART_POLICY';
  if (kind !== 'every') return misfire === 'skip' ? 'DO_NOTHING' : 'FIRE_ONCE_NOW';
  if (misfire === 'skip') return 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT';
  return misfire === 'fire' ? 'FIRE_NOW' : 'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT';
}

/** Calendars that exclude days or hours around the clock change. */
export const aCalendar = ({ zone, change }: Place): fc.Arbitrary<SlowCalendar> => {
  const today = dayOf(localAt(zone, change)).day;
  return fc.oneof(
    fc
      .subarray([1, 2, 3, 4, 5, 6, 7], { maxLength: 4 })
      .map((days) => ({ zone, kind: 'weekly' as const, daysOfWeek: days })),
    fc
      .subarray([-2, -1, 0, 1, 2, 3])
      .map((days) => ({ zone, kind: 'dates' as const, days: days.map((day) => today + day) })),
    fc.record({
      zone: fc.constant(zone),
      kind: fc.constant('daily' as const),
      from: fc.constantFrom(5 * HOUR, 9 * HOUR + 30 * MINUTE),
      to: fc.constantFrom(11 * HOUR, 20 * HOUR),
      invert: fc.boolean(),
    }),
  );
};

/** The calendar as it is stored. */
export function calendarDataOf(calendar: SlowCalendar): CalendarData {
  const common = { description: null, timeZone: calendar.zone, base: null };
  if (calendar.kind === 'weekly') return { type: 'weekly', excludedDays: [...calendar.daysOfWeek], ...common };
  if (calendar.kind === 'dates') {
    const excludedDates = calendar.days.map((day) => new Date(day * DAY).toISOString().slice(0, 10));
    return { type: 'holiday', excludedDates, ...common };
  }
  const text = (time: number) => new Date(time).toISOString().slice(11, 16);
  return { type: 'daily', from: text(calendar.from), to: text(calendar.to), invert: calendar.invert, ...common };
}
