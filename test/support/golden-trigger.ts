import { NO_DATA } from '../../src/domain/job-data';
import { jobKey, triggerKey } from '../../src/domain/keys';
import { timeZoneOf } from '../../src/domain/time/time-zone';
import type { IntervalUnit, MisfireInstruction, TimeOfDay, Trigger } from '../../src/domain/trigger';

type Hms = readonly [number, number, number];

/** Settings of a trigger in the golden rows. A null zone is the default zone. */
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

/** State of a trigger in a golden row, with the fields of its type only. */
export interface GoldenState {
  readonly start: number;
  readonly end: number | null;
  readonly prev: number | null;
  readonly next: number | null;
  readonly times?: number;
  readonly repeatCount?: number;
}

/** Trigger type of a golden row. */
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

/** State of a trigger in the form of a golden row. */
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
 * An intended difference: Quartz truncates the start of a cron trigger to the second with the JVM's default calendar, which confuses the first pass
 * of a repeated hour with the second one, so that the trigger starts an hour late. We keep the instant.
 */
function startAsQuartzSets(start: number, defaultTz: string): number {
  const zone = timeZoneOf(defaultTz);
  return zone.instantOf(zone.localAt(start));
}

function timeOfDay([hour, minute, second]: Hms): TimeOfDay {
  return { hour, minute, second };
}
