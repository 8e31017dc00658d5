import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { timeOf } from '../domain/check-text';
import type { JobKey } from '../domain/keys';
import { formatKey } from '../domain/keys';
import type * as domain from '../domain/trigger';

type OpenField = 'jobKey' | 'startTime' | 'endTime' | 'nextFireTime' | 'previousFireTime';

type Dated<T extends domain.Trigger> = Omit<T, OpenField | 'timeZone'> & {
  /** Key of its job; null until scheduled. */
  readonly jobKey: JobKey | null;
  /** Start time; null until scheduled: then the time of scheduling. */
  readonly startTime: Date | null;
  /** End time, after which there is no fire time; null: no end. */
  readonly endTime: Date | null;
  /** Next fire time; null if there is none, or if the trigger is not scheduled yet. */
  readonly nextFireTime: Date | null;
  /** Scheduled time of the last firing; null if it has not fired yet. */
  readonly previousFireTime: Date | null;
} & (T extends { readonly timeZone: string }
    ? {
        /** IANA name of the zone; null until scheduled: then the scheduler's own zone. */
        readonly timeZone: string | null;
      }
    : unknown);

/** A trigger as users hold it: the stored trigger, with its times as `Date`. Builders make it, `getTrigger` returns it. */
export type SimpleTrigger = Dated<domain.SimpleTrigger>;
/** Fires when a cron expression says. */
export type CronTrigger = Dated<domain.CronTrigger>;
/** Fires every so many seconds, minutes, hours, days, weeks, months or years of the calendar. */
export type CalendarIntervalTrigger = Dated<domain.CalendarIntervalTrigger>;
/** Fires every so many seconds, minutes or hours within a part of chosen days. */
export type DailyTimeIntervalTrigger = Dated<domain.DailyTimeIntervalTrigger>;
/** Fires because other jobs have ended; it has no times of its own. */
export type AfterTrigger = Dated<domain.AfterTrigger>;
/** When a job fires; `kind` is one of five kinds. */
export type Trigger = SimpleTrigger | CronTrigger | CalendarIntervalTrigger | DailyTimeIntervalTrigger | AfterTrigger;

/** Converts the stored form to the public one. */
export function toTrigger(stored: domain.Trigger): Trigger {
  return {
    ...stored,
    startTime: new Date(stored.startTime),
    endTime: toDate(stored.endTime),
    nextFireTime: toDate(stored.nextFireTime),
    previousFireTime: toDate(stored.previousFireTime),
  };
}

/**
 * Converts the public form to the stored one and fills open fields from `defaults`. Throws INVALID_TRIGGER without a job, INVALID_ARGUMENT
 * for an invalid time.
 */
export function fromTrigger(
  trigger: Trigger,
  defaults: { readonly startTime: EpochMs; readonly timeZone: string },
): domain.Trigger {
  const times = {
    startTime: trigger.startTime === null ? defaults.startTime : fromDate(trigger.startTime, 'startTime'),
    endTime: trigger.endTime === null ? null : fromDate(trigger.endTime, 'endTime'),
    nextFireTime: trigger.nextFireTime === null ? null : fromDate(trigger.nextFireTime, 'nextFireTime'),
    previousFireTime: trigger.previousFireTime === null ? null : fromDate(trigger.previousFireTime, 'previousFireTime'),
  };
  const jobKey = jobOf(trigger);
  if (trigger.kind === 'SIMPLE' || trigger.kind === 'AFTER') return { ...trigger, ...times, jobKey };
  return { ...trigger, ...times, jobKey, timeZone: trigger.timeZone ?? defaults.timeZone } as domain.Trigger;
}

export function toDate(time: EpochMs | null): Date | null {
  return time === null ? null : new Date(time);
}

function jobOf(trigger: Trigger): JobKey {
  if (trigger.jobKey !== null) return trigger.jobKey;
  throw new SchedulerError(
    'INVALID_TRIGGER',
    `Trigger '${formatKey(trigger.key)}' names no job: use forJob(…), or schedule it together with its job.`,
  );
}

function fromDate(date: Date, field: string): EpochMs {
  return timeOf(date, `a valid Date as ${field} of a trigger`);
}
