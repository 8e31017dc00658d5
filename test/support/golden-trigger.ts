import { NO_DATA } from '../../src/domain/job-data';
import { jobKey, triggerKey } from '../../src/domain/keys';
import { timeZoneOf } from '../../src/domain/time/time-zone';
import type { IntervalUnit, MisfireInstruction, TimeOfDay, Trigger } from '../../src/domain/trigger';

type Hms = readonly [number, number, number];

/** A trigger's settings as the golden rows write them; a null zone is the default zone. */
export type GoldenTrigger = { readonly start: number; readonly end: number | null } & (
  | { readonly type: 'simple'; readonly repeatCount: number; readonly repeatInterval: number }
  | { readonly type: 'cron'; readonly expr: string; readonly tz: string | null }
  | {
      readonly type: 'calendarInterval';
      readonly interval: number;
      readonly unit: IntervalUnit;
      readonly tz: string | null;
      readonly preserveHour: boolean;
      readonly skipDay: boolean;
    }
  | {
      readonly type: 'dailyTimeInterval';
      readonly interval: number;
      readonly unit: 'SECOND' | 'MINUTE' | 'HOUR';
      readonly days: readonly number[] | null;
      readonly startTod: Hms;
      readonly endTod: Hms | null;
      readonly repeatCount: number;
    }
);

/** A golden row's state of a trigger; only what its kind has. */
export interface GoldenState {
  readonly start: number;
  readonly end: number | null;
  readonly prev: number | null;
  readonly next: number | null;
  readonly times?: number;
  readonly repeatCount?: number;
}

/** The kind a golden row names. */
export const KINDS = {
  simple: 'SIMPLE',
  cron: 'CRON',
  calendarInterval: 'CAL_INT',
  dailyTimeInterval: 'DAILY_I',
} as const;

/** Builds the trigger of a golden row. */
export function triggerFromGolden(
  cfg: GoldenTrigger,
  defaultTz: string,
  misfireInstruction: MisfireInstruction = 'SMART_POLICY',
): Trigger {
  const common = {
    key: triggerKey('trigger'),
    jobKey: jobKey('job'),
    description: null,
    data: NO_DATA,
    priority: 5,
    startTime: cfg.start,
    endTime: cfg.end,
    calendarName: null,
    nextFireTime: null,
    previousFireTime: null,
    misfireInstruction,
  };
  return { ...common, kind: KINDS[cfg.type], ...scheduleOf(cfg, defaultTz) } as Trigger;
}

/** What a golden row records of a trigger's state. */
export function goldenState(trigger: Trigger): GoldenState {
  return {
    start: trigger.startTime,
    end: trigger.endTime,
    prev: trigger.previousFireTime,
    next: trigger.nextFireTime,
    ...(trigger.kind === 'CRON' ? {} : { times: trigger.timesTriggered }),
    ...(trigger.kind === 'SIMPLE' ? { repeatCount: trigger.repeatCount } : {}),
  };
}

function scheduleOf(cfg: GoldenTrigger, defaultTz: string) {
  switch (cfg.type) {
    case 'simple':
      return { repeatCount: cfg.repeatCount, repeatInterval: cfg.repeatInterval, timesTriggered: 0 };
    case 'cron':
      return {
        startTime: startAsQuartzSets(cfg.start, defaultTz),
        cronExpression: cfg.expr,
        timeZone: cfg.tz ?? defaultTz,
      };
    case 'calendarInterval':
      return {
        repeatInterval: cfg.interval,
        repeatIntervalUnit: cfg.unit,
        timeZone: cfg.tz ?? defaultTz,
        preserveHourOfDayAcrossDaylightSavings: cfg.preserveHour,
        skipDayIfHourDoesNotExist: cfg.skipDay,
        timesTriggered: 0,
      };
    case 'dailyTimeInterval':
      return {
        repeatInterval: cfg.interval,
        repeatIntervalUnit: cfg.unit,
        startTimeOfDay: timeOfDay(cfg.startTod),
        endTimeOfDay: cfg.endTod === null ? null : timeOfDay(cfg.endTod),
        daysOfWeek: cfg.days ?? [1, 2, 3, 4, 5, 6, 7],
        repeatCount: cfg.repeatCount,
        timeZone: defaultTz,
        timesTriggered: 0,
      };
  }
}

/**
 * A difference we choose: Quartz cuts a cron trigger's start to the second with the JVM's default calendar, which takes the
 * first pass of a repeated hour for the second one, and so starts an hour late. We keep the instant.
 */
function startAsQuartzSets(start: number, defaultTz: string): number {
  const zone = timeZoneOf(defaultTz);
  return zone.instantOf(zone.localAt(start));
}

function timeOfDay([hour, minute, second]: Hms): TimeOfDay {
  return { hour, minute, second };
}
