import type { CalendarData } from './calendars/calendar';
import { withoutSpans } from './carried-spans';
import type { ExecutionPolicy } from './execution-policy';
import type { JobData } from './job-data';
import type { JobDetail } from './job-detail';
import { sameData } from './same-data';
import type { Trigger } from './trigger';

/* Splits a definition into fields to edit individually. Includes all fields of the type unless a rule below renames them, so none is forgotten. */

export type Definition =
  | { readonly what: 'job'; readonly job: JobDetail }
  | {
      readonly what: 'trigger';
      readonly trigger: Trigger;
      readonly isStartDefaulted?: boolean;
      readonly isZoneDefaulted?: boolean;
    }
  | { readonly what: 'calendar'; readonly calendar: CalendarData };

type Values = Readonly<Record<string, unknown>>;

/** Returns fields by their names in a schedule file. `schedule` is everything that determines the fire times; `data.to` is key `to` of the data. */
function fieldsOf(definition: Definition): Values {
  switch (definition.what) {
    case 'calendar':
      return { definition: definition.calendar };
    case 'job': {
      const { key: _, unreadable: __, jobType, data, policy, ...others } = definition.job;
      return { ...others, type: jobType, ...policy, ...dataFields(data) };
    }
    case 'trigger': {
      const { own, schedule } = partsOf(definition.trigger);
      const { jobKey, data, policy, calendarName, endTime, ...others } = own;
      return {
        ...others,
        job: jobKey,
        calendar: calendarName,
        endAt: endTime,
        schedule,
        ...policy,
        ...dataFields(data),
      };
    }
  }
}

/** Returns the names of the fields that differ; none if a definition is null. Ignores a start time or time zone that is only a default. */
export function changedFields(before: Definition | null, after: Definition | null): readonly string[] {
  if (before === null || after === null) return [];
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return namesIn(old, now).filter((name) => !sameField(name, [old, before], [now, after]));
}

export function namesIn(a: object, b: object): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

type Side = readonly [Values, Definition];

function sameField(name: string, [old, before]: Side, [now, after]: Side): boolean {
  if (name !== 'schedule') return sameData(old[name], now[name]);
  return sameData(comparable(old.schedule, before, after), comparable(now.schedule, before, after));
}

function comparable(schedule: unknown, ...both: readonly Definition[]): Values {
  const { startTime, timeZone, ...others } = schedule as Values;
  const isDefaulted = (flag: 'isStartDefaulted' | 'isZoneDefaulted') =>
    both.some((each) => each.what === 'trigger' && each[flag] === true);
  return {
    ...others,
    ...(isDefaulted('isStartDefaulted') ? {} : { startTime }),
    ...(isDefaulted('isZoneDefaulted') ? {} : { timeZone }),
  };
}

/** Returns a copy of `base` in which the named fields have their values from `source`, a definition of the same kind. */
export function withFieldsOf(base: Definition, source: Definition, names: readonly string[]): Definition {
  const isNamed = (name: string) => names.includes(name);
  if (base.what === 'job' && source.what === 'job') {
    return { what: 'job', job: mergedJob(base.job, source.job, isNamed) };
  }
  if (base.what === 'trigger' && source.what === 'trigger') {
    const trigger = mergedTrigger(base.trigger, source.trigger, isNamed);
    return isNamed('schedule') ? { what: 'trigger', trigger, isStartDefaulted: true } : { ...base, trigger };
  }
  return isNamed('definition') ? source : base;
}

type IsNamed = (name: string) => boolean;

function mergedJob(base: JobDetail, source: JobDetail, isNamed: IsNamed): JobDetail {
  const { key, data, policy: _, jobType: __, unreadable: ___, ...others } = base;
  const own = Object.fromEntries(
    Object.keys(others).map((name) => [name, (isNamed(name) ? source : base)[name as keyof typeof others]]),
  );
  const jobType = (isNamed('type') ? source : base).jobType;
  return {
    key,
    ...own,
    jobType,
    data: mergedData(data, source.data, isNamed),
    ...mergedPolicy(base, source, isNamed),
  } as JobDetail;
}

function mergedTrigger(base: Trigger, source: Trigger, isNamed: IsNamed): Trigger {
  const { schedule } = partsOf(isNamed('schedule') ? source : base);
  // If the kind of schedule changes, the end time and calendar of `base` may not fit, so those of `source` replace them.
  const isKindKept = isNamed('schedule') && base.kind !== source.kind;
  const pick = (name: string) =>
    isNamed(name) || (isKindKept && ['endAt', 'calendar'].includes(name)) ? source : base;
  return {
    ...schedule,
    key: base.key,
    jobKey: pick('job').jobKey,
    description: pick('description').description,
    priority: pick('priority').priority,
    calendarName: pick('calendar').calendarName,
    endTime: pick('endAt').endTime,
    data: mergedData(base.data, source.data, isNamed),
    nextFireTime: null,
    previousFireTime: null,
    ...(schedule.kind === 'CRON' ? {} : { timesTriggered: 0 }),
    ...(schedule.kind === 'AFTER' ? { ended: schedule.after.map(() => 0) } : {}),
    ...mergedPolicy(base, source, isNamed),
  } as Trigger;
}

/** Omits the fields that firings change. */
function partsOf(trigger: Trigger) {
  const { key: _, jobKey, description, priority, calendarName, endTime, data, policy, ...others } = trigger;
  const { nextFireTime: __, previousFireTime: ___, unreadable: ____, ...rest } = others;
  const {
    timesTriggered: _____,
    ended: ______,
    ...schedule
  } = rest as typeof rest & { timesTriggered?: number; ended?: unknown };
  return { own: { jobKey, description, priority, calendarName, endTime, data: withoutSpans(data), policy }, schedule };
}

const DATA = 'data.';

const dataFields = (data: JobData) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [`${DATA}${name}`, value]));

function mergedData(base: JobData, source: JobData, isNamed: IsNamed): JobData {
  return merged(base, source, (name) => isNamed(`${DATA}${name}`));
}

type HasPolicy = Pick<JobDetail, 'policy'>;

function mergedPolicy(base: HasPolicy, source: HasPolicy, isNamed: IsNamed): HasPolicy {
  const policy = merged<ExecutionPolicy>(base.policy ?? {}, source.policy ?? {}, isNamed);
  return Object.keys(policy).length === 0 ? {} : { policy };
}

function merged<T extends object>(base: T, source: T, isNamed: IsNamed): T {
  const chosen = (name: string) => (isNamed(name) ? source : base)[name as keyof T];
  const entries = namesIn(base, source).map((name) => [name, chosen(name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
}
