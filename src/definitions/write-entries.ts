import type { EpochMs } from '../base/clock';
import { given } from '../base/given';
import type { CalendarData } from '../domain/calendars/calendar';
import { splitOwn } from '../domain/data-version';
import type { PolicyField } from '../domain/execution-policy';
import type { JobData, JsonValue } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { sameData } from '../domain/same-data';
import { durationText } from '../domain/time/duration';
import { DEFAULT_PRIORITY, END_OF_DAY, REPEAT_INDEFINITELY, type TimeOfDay, type Trigger } from '../domain/trigger';
import type { ScheduleKind } from './fields';
import { policyEntryOf } from './policy-values';
import { DAYS, type JobFields, type TopTriggerFields } from './schedule-file-schema';

/* Converts stored definitions to entries of a schedule file, without default values. Reading an entry returns an equal definition. */

export type Entry = Readonly<Record<string, JsonValue>>;

/** Requires every field of an entry except policy fields and `Others`, so that the compiler reports a missing field. */
type EveryField<Fields, Others extends string> = {
  readonly [Field in Exclude<keyof Fields, PolicyField | Others>]: JsonValue | undefined;
};

export function jobEntryOf(job: JobDetail): Entry {
  const { key, jobType, description, durable, disallowConcurrentExecution, requestsRecovery } = job;
  const { persistJobDataAfterExecution } = job;
  return given({
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
  } satisfies EveryField<JobFields, 'triggers' | 'registeredLater'>);
}

/** Omits a start time in the past, unless the fire times depend on the start time. */
export function triggerEntryOf(trigger: Trigger, now: EpochMs): Entry {
  const { key, jobKey, description, priority, calendarName, endTime, misfireInstruction } = trigger;
  return given({
    name: key.name,
    group: key.group,
    job: { name: jobKey.name, group: jobKey.group },
    description: description ?? undefined,
    ...scheduleEntryOf(trigger),
    calendar: calendarName ?? undefined,
    priority: priority === DEFAULT_PRIORITY ? undefined : priority,
    startAt: writesStart(trigger, now) ? timeText(trigger.startTime) : undefined,
    endAt: endTime === null ? undefined : timeText(endTime),
    timeZone: 'timeZone' in trigger ? trigger.timeZone : undefined,
    misfire: misfireInstruction === 'SMART_POLICY' ? undefined : misfireInstruction,
    ...policyEntryOf(trigger.policy),
    data: dataEntryOf(trigger.data),
  } satisfies EveryField<TopTriggerFields, ScheduleKind | 'dialect' | 'on'>);
}

export function calendarEntryOf({ base, description, ...data }: CalendarData): Entry {
  return given({
    ...(data as Entry),
    description: description ?? undefined,
    base: base === null || base === undefined ? undefined : calendarEntryOf(base as CalendarData),
  });
}

function writesStart({ kind, startTime }: Trigger, now: EpochMs): boolean {
  if (kind === 'AFTER') return false;
  return startTime > now || kind === 'SIMPLE' || kind === 'CAL_INT';
}

function scheduleEntryOf(trigger: Trigger): Readonly<Record<string, JsonValue | undefined>> {
  switch (trigger.kind) {
    case 'CRON':
      return { cron: trigger.cronExpression };
    case 'SIMPLE': {
      const { repeatInterval, repeatCount } = trigger;
      const isDefault = repeatCount === (repeatInterval > 0 ? REPEAT_INDEFINITELY : 0);
      const interval = repeatInterval > 0 ? durationText(repeatInterval) : undefined;
      return { simple: given({ interval, repeatCount: isDefault ? undefined : repeatCount }) };
    }
    case 'CAL_INT':
      return {
        calendarInterval: given({
          interval: trigger.repeatInterval,
          unit: trigger.repeatIntervalUnit,
          preserveHourOfDayAcrossDaylightSavings: trigger.preserveHourOfDayAcrossDaylightSavings || undefined,
          skipDayIfHourDoesNotExist: trigger.skipDayIfHourDoesNotExist || undefined,
        }),
      };
    case 'DAILY_I': {
      const endOfDay = trigger.endTimeOfDay ?? END_OF_DAY;
      return {
        dailyTimeInterval: given({
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

/** Returns the data without the keys that the scheduler added. Undefined if no other key exists. */
function dataEntryOf(data: JobData): JsonValue | undefined {
  const own = splitOwn(data).given;
  return Object.keys(own).length === 0 ? undefined : own;
}

const timeText = (time: EpochMs) => new Date(time).toISOString();

function timeOfDayText({ hour, minute, second }: TimeOfDay): string {
  const parts = second === 0 ? [hour, minute] : [hour, minute, second];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
