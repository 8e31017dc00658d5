import type { EpochMs } from '../../base/clock';
import type { CalendarData } from '../../domain/calendars/calendar';
import { type ConcurrencyLimit, KEY_OF_JOB } from '../../domain/concurrency-limit';
import { splitOwn } from '../../domain/data-version';
import { type ExecutionPolicy, POLICY_FIELDS, type PolicyField } from '../../domain/execution-policy';
import type { JobData, JsonValue } from '../../domain/job-data';
import type { JobDetail } from '../../domain/job-detail';
import type { CheckedRate } from '../../domain/rate-limit';
import type { RetryPolicy } from '../../domain/retry-policy';
import { sameData } from '../../domain/same-data';
import { DEFAULT_PRIORITY, END_OF_DAY, REPEAT_INDEFINITELY, type TimeOfDay, type Trigger } from '../../domain/trigger';
import { DAYS } from './schedule-file-schema';

/*
 * What is stored, in the words of a schedule file: what the readers make of it is what it was made from. What a file need not say is left
 * out.
 */

export type Entry = Readonly<Record<string, JsonValue>>;

/** A job, without its triggers. */
export function jobEntryOf(job: JobDetail): Entry {
  const { key, jobType, description, durable, disallowConcurrentExecution, requestsRecovery } = job;
  const { persistJobDataAfterExecution } = job;
  return said({
    name: key.name,
    group: key.group,
    type: jobType,
    description: description ?? undefined,
    durable: durable || undefined,
    requestsRecovery: requestsRecovery || undefined,
    disallowConcurrentExecution: disallowConcurrentExecution || undefined,
    persistJobDataAfterExecution: persistJobDataAfterExecution || undefined,
    ...policyEntryOf(job.policy),
    data: dataEntryOf(job.data),
  });
}

/**
 * A trigger that stands by itself. `now`: a start that is over says nothing of triggers that fire by the clock on the wall alone, and is left
 * out.
 */
export function triggerEntryOf(trigger: Trigger, now: EpochMs): Entry {
  const { key, jobKey, description, priority, calendarName, endTime, misfireInstruction } = trigger;
  return said({
    name: key.name,
    group: key.group,
    job: { name: jobKey.name, group: jobKey.group },
    description: description ?? undefined,
    ...scheduleEntryOf(trigger),
    calendar: calendarName ?? undefined,
    priority: priority === DEFAULT_PRIORITY ? undefined : priority,
    startAt: saysStart(trigger, now) ? timeText(trigger.startTime) : undefined,
    endAt: endTime === null ? undefined : timeText(endTime),
    timeZone: 'timeZone' in trigger ? trigger.timeZone : undefined,
    misfire: misfireInstruction === 'SMART_POLICY' ? undefined : misfireInstruction,
    ...policyEntryOf(trigger.policy),
    data: dataEntryOf(trigger.data),
  });
}

/** A calendar, with those it builds upon inside of it. */
export function calendarEntryOf({ base, description, ...data }: CalendarData): Entry {
  return said({
    ...(data as Entry),
    description: description ?? undefined,
    base: base === null || base === undefined ? undefined : calendarEntryOf(base as CalendarData),
  });
}

type MayBeUnsaid = Readonly<Record<string, JsonValue | undefined>>;

function said(fields: MayBeUnsaid): Entry {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Entry;
}

function saysStart({ kind, startTime }: Trigger, now: EpochMs): boolean {
  if (kind === 'AFTER') return false;
  return startTime > now || kind === 'SIMPLE' || kind === 'CAL_INT';
}

function scheduleEntryOf(trigger: Trigger): MayBeUnsaid {
  switch (trigger.kind) {
    case 'CRON':
      return { cron: trigger.cronExpression };
    case 'SIMPLE': {
      const { repeatInterval, repeatCount } = trigger;
      const isDefault = repeatCount === (repeatInterval > 0 ? REPEAT_INDEFINITELY : 0);
      const interval = repeatInterval > 0 ? durationText(repeatInterval) : undefined;
      return { simple: said({ interval, repeatCount: isDefault ? undefined : repeatCount }) };
    }
    case 'CAL_INT':
      return {
        calendarInterval: said({
          interval: trigger.repeatInterval,
          unit: trigger.repeatIntervalUnit,
          preserveHourOfDayAcrossDaylightSavings: trigger.preserveHourOfDayAcrossDaylightSavings || undefined,
          skipDayIfHourDoesNotExist: trigger.skipDayIfHourDoesNotExist || undefined,
        }),
      };
    case 'DAILY_I': {
      const endOfDay = trigger.endTimeOfDay ?? END_OF_DAY;
      return {
        dailyTimeInterval: said({
          interval: trigger.repeatInterval,
          unit: trigger.repeatIntervalUnit,
          startTimeOfDay: timeOfDayText(trigger.startTimeOfDay),
          endTimeOfDay: sameData(endOfDay, END_OF_DAY) ? undefined : timeOfDayText(endOfDay),
          daysOfWeek:
            trigger.daysOfWeek.length === DAYS.length
              ? undefined
              : trigger.daysOfWeek.map((day) => DAYS[day - 1] as string),
          repeatCount: trigger.repeatCount === REPEAT_INDEFINITELY ? undefined : trigger.repeatCount,
        }),
      };
    }
    case 'AFTER':
      return {
        after: trigger.after.map(({ name, group }) => ({ name, group })),
        on: trigger.on === 'success' ? undefined : trigger.on,
      };
  }
}

const asStored = (value: unknown) => value as JsonValue;

const POLICY_ENTRIES: { readonly [Field in PolicyField]: (value: Required<ExecutionPolicy>[Field]) => JsonValue } = {
  retry: retryEntryOf,
  history: asStored,
  concurrency: concurrencyEntryOf,
  rate: rateEntryOf,
  timeout: durationsOf,
  startWithin: durationText,
  spread: asStored,
  runsOn: asStored,
  prefers: ({ labels, patience }) => ({ labels, patience: durationText(patience) }),
  overlap: asStored,
  catchUp: ({ max, window, pace }) => ({ max, window: durationText(window), pace: durationText(pace) }),
  mustSucceedWithin: durationText,
  jitter: durationText,
};

function policyEntryOf(policy: ExecutionPolicy = {}): MayBeUnsaid {
  const entries = POLICY_FIELDS.map((field) => {
    const value = policy[field];
    return [field, value === undefined ? undefined : POLICY_ENTRIES[field](value as never)] as const;
  });
  return Object.fromEntries(entries);
}

function rateEntryOf({ key, limit, per, burst }: CheckedRate): JsonValue {
  return said({
    key: key === KEY_OF_JOB ? undefined : key,
    limit,
    per: durationText(per),
    burst: burst === 1 ? undefined : burst,
  });
}

function retryEntryOf({ max, delays, factor, jitter, maxAge }: RetryPolicy): JsonValue {
  if (max === 0) return false;
  if (delays.length > 1) return delays.map(durationText);
  const delay = durationText(delays[0] ?? 0);
  if (factor === undefined && jitter === undefined && maxAge === undefined) return `R${max}/${delay}`;
  return said({ max, delay, factor, jitter, maxAge: durationEntryOf(maxAge) });
}

function concurrencyEntryOf({ key, limit }: ConcurrencyLimit): JsonValue {
  return key === KEY_OF_JOB ? limit : { key, limit };
}

function durationsOf(durations: object): Entry {
  return Object.fromEntries(Object.entries(durations).map(([name, value]) => [name, durationText(value as number)]));
}

/** What the scheduler has added says nothing to people. */
function dataEntryOf(data: JobData): JsonValue | undefined {
  const { given } = splitOwn(data);
  return Object.keys(given).length === 0 ? undefined : given;
}

const timeText = (time: EpochMs) => new Date(time).toISOString();

const durationEntryOf = (milliseconds: number | undefined) =>
  milliseconds === undefined ? undefined : durationText(milliseconds);

/** `PT1H30M`: hours, minutes and seconds, which always have one length. */
export function durationText(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1_000;
  const parts = [hours > 0 ? `${hours}H` : '', minutes > 0 ? `${minutes}M` : '', seconds > 0 ? `${seconds}S` : ''];
  return `PT${parts.join('') || '0S'}`;
}

function timeOfDayText({ hour, minute, second }: TimeOfDay): string {
  const parts = second === 0 ? [hour, minute] : [hour, minute, second];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
