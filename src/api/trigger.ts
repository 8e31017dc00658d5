import type { EpochMs } from '../base/clock';
import { badTrigger } from '../base/errors';
import { timeOf } from '../domain/check-text';
import { formatKey, type JobKey } from '../domain/keys';
import type * as domain from '../domain/trigger';

type OpenField = 'jobKey' | 'startTime' | 'endTime' | 'nextFireTime' | 'previousFireTime';

type Dated<T extends domain.Trigger> = Omit<T, OpenField | 'timeZone'> & {
  /** Key of the trigger's job. Null until the trigger is scheduled. */
  readonly jobKey: JobKey | null;
  /** Start time. If null, the trigger starts when it is scheduled. */
  readonly startTime: Date | null;
  /** End time. The trigger does not fire at or after it, except that a cron trigger may fire exactly at the end. Null if the trigger has no end. */
  readonly endTime: Date | null;
  /** Next fire time. Null if there is none, or if the trigger is not scheduled yet. */
  readonly nextFireTime: Date | null;
  /** Scheduled time of the last firing. Null if the trigger has not fired yet. */
  readonly previousFireTime: Date | null;
} & (T extends { readonly timeZone: string }
    ? {
        /** IANA name of the time zone. If null, the trigger gets the scheduler's zone when it is scheduled. */
        readonly timeZone: string | null;
      }
    : unknown);

/** A trigger that fires once, or repeatedly at a fixed interval. Like all public trigger types, it holds its times as `Date`. */
export type SimpleTrigger = Dated<domain.SimpleTrigger>;
/** A trigger that fires at the times of a cron expression. */
export type CronTrigger = Dated<domain.CronTrigger>;
/** A trigger that fires every n seconds, minutes, hours, days, weeks, months or years. Days and longer units follow the calendar of the time zone. */
export type CalendarIntervalTrigger = Dated<domain.CalendarIntervalTrigger>;
/** A trigger that fires every n seconds, minutes or hours between two times of day, on selected days of the week. */
export type DailyTimeIntervalTrigger = Dated<domain.DailyTimeIntervalTrigger>;
/** A trigger that fires when runs of other jobs end. It has no fire times. */
export type AfterTrigger = Dated<domain.AfterTrigger>;
/** A trigger of any of the five kinds. Determines when its job runs. */
export type Trigger = SimpleTrigger | CronTrigger | CalendarIntervalTrigger | DailyTimeIntervalTrigger | AfterTrigger;

/** Converts a stored trigger to its public form. */
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
 * Converts a trigger to its stored form. Fills a missing start time and time zone from `defaults`. Throws INVALID_TRIGGER if the trigger has no
 * job, and INVALID_ARGUMENT for an invalid time.
 */
export function fromTrigger(
  trigger: Trigger,
  defaults: { readonly startTime: EpochMs; readonly timeZone: string },
): domain.Trigger {
  const times = {
    startTime: timeIn(trigger, 'startTime') ?? defaults.startTime,
    endTime: timeIn(trigger, 'endTime'),
    nextFireTime: timeIn(trigger, 'nextFireTime'),
    previousFireTime: timeIn(trigger, 'previousFireTime'),
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
  throw badTrigger(
    `Trigger '${formatKey(trigger.key)}' has no job. Use forJob(…), or schedule it together with its job.`,
  );
}

function timeIn(trigger: Trigger, field: Exclude<OpenField, 'jobKey'>): EpochMs | null {
  const date = trigger[field];
  return date === null ? null : timeOf(date, `a valid Date as ${field} of a trigger`);
}
