import { checkObject } from '../api/builders/check-arguments';
import { strictCron } from '../api/builders/cron-schedule-builder';
import type { ScheduleOptions } from '../api/schedule-options';
import type { JobTypeOption } from '../api/typed-jobs';
import type { EpochMs } from '../base/clock';
import { badArgument } from '../base/errors';
import { checkOptions, refuseUndefined } from '../domain/check-options';
import { checkText, invalidArgument } from '../domain/check-text';
import { checkPolicy, POLICY_FIELDS, type PolicyField } from '../domain/execution-policy';
import { NO_DATA } from '../domain/job-data';
import { formatKey, type JobKey, type TriggerKey } from '../domain/keys';
import { checkFlag, checkKey, LIMITS } from '../domain/limits';
import { INTERVAL_MISFIRE, type MisfireWord, SIMPLE_MISFIRE } from '../domain/misfire-instructions';
import type { Declarer } from '../domain/override';
import { ONCE, repeatSchedule } from '../domain/repeat-interval';
import type { ChangeOf } from '../domain/schedule-change';
import { parseIsoTime } from '../domain/time/iso-time';
import { timeZoneOf } from '../domain/time/time-zone';
import { DEFAULT_PRIORITY, type SimpleTrigger, type Trigger } from '../domain/trigger';
import { waitingFor } from '../domain/triggers/after-trigger';
import { checkOneOf, type TriggerDefaults, toJobKey } from './checked-input';

/** Second argument of `schedule`. `job` names a registered job type; default: the name of the schedule. */
export type GivenSchedule = ScheduleOptions & Partial<JobTypeOption>;

const OPTIONS: Readonly<Record<keyof GivenSchedule, true>> = {
  cron: true,
  dialect: true,
  every: true,
  at: true,
  after: true,
  on: true,
  timeZone: true,
  job: true,
  group: true,
  data: true,
  description: true,
  priority: true,
  startAt: true,
  endAt: true,
  calendar: true,
  disallowConcurrentExecution: true,
  persistJobDataAfterExecution: true,
  requestsRecovery: true,
  registeredLater: true,
  misfire: true,
  ...(Object.fromEntries(POLICY_FIELDS.map((field) => [field, true])) as Record<PolicyField, true>),
};

/** Options whose absence changes when the job runs, each with the effect of leaving it out. */
const OMITTED = {
  timeZone: "the scheduler's time zone",
  startAt: 'a start at once',
  endAt: 'a schedule without an end',
  calendar: 'no calendar',
} as const;

/** Names of these options in the builders and in Quartz, for hints in errors. */
const OTHER_NAMES = {
  calendarName: 'calendar',
  requestRecovery: 'requestsRecovery',
  startTime: 'startAt',
  endTime: 'endAt',
  misfireInstruction: 'misfire',
  jobDataMap: 'data',
} as const;

export type ShorthandChanges = readonly [ChangeOf<'storeJob'>, ChangeOf<'storeTrigger'>];

/**
 * Returns the changes for `scheduler.schedule(name, when)`. They create or replace a job and a trigger with the same key, given as a name or
 * `group/name`. `declared` names the declared set. If it is null, the changes only store a new job and a new trigger. Throws INVALID_ARGUMENT, or the error of an invalid schedule such as CRON_SYNTAX.
 */
export function shorthandChanges(
  name: string,
  when: GivenSchedule,
  defaults: TriggerDefaults,
  declared: Declarer | null,
): ShorthandChanges {
  checkWhen(when);
  const key = checkKey(when.group === undefined ? name : { name, group: when.group }, 'job');
  const { catchUp, jitter, clockChanges, ...ofJob } = when; // stay with the trigger, because they do not apply to manual runs of the job
  const owner = `job '${formatKey(key)}'`;
  const policy = checkPolicy(ofJob, owner);
  const ofTrigger = checkPolicy({ catchUp, jitter, clockChanges }, owner);
  const how = declared === null ? ({ ifExists: 'fail' } as const) : ({ ifExists: 'replace', declared } as const);
  const job = {
    key,
    jobType: when.job === undefined ? name : checkText(when.job, 'the job type (job)', LIMITS.jobType),
    description: when.description ?? null,
    data: when.data ?? NO_DATA,
    durable: false,
    disallowConcurrentExecution: when.disallowConcurrentExecution ?? false,
    persistJobDataAfterExecution: when.persistJobDataAfterExecution ?? false,
    requestsRecovery: when.requestsRecovery ?? false,
    ...(policy !== undefined && { policy }),
  };
  return [
    {
      type: 'storeJob',
      job,
      requireTrigger: true,
      registeredLater: checkFlag(when.registeredLater ?? false, 'registeredLater'),
      ...how,
    },
    {
      type: 'storeTrigger',
      trigger: { ...toShorthandTrigger(key, when, defaults), ...(ofTrigger !== undefined && { policy: ofTrigger }) },
      startTimeDefaulted: (when.at ?? when.startAt) === undefined,
      timeZoneDefaulted: defaults.timeZoneDefaulted && when.timeZone === undefined,
      ...how,
    },
  ];
}

function toShorthandTrigger(key: JobKey, when: ScheduleOptions, defaults: TriggerDefaults): Trigger {
  const timeZone = when.timeZone ?? defaults.timeZone;
  const common = {
    key,
    jobKey: key,
    description: when.description ?? null,
    data: NO_DATA,
    priority: when.priority ?? DEFAULT_PRIORITY,
    startTime:
      timeOf(when.at ?? when.startAt, when.at === undefined ? 'startAt' : 'at', timeZone) ?? defaults.startTime,
    endTime: timeOf(when.endAt, 'endAt', timeZone),
    calendarName: when.calendar ?? null,
    nextFireTime: null,
    previousFireTime: null,
  };
  return { ...common, ...scheduleOf(when, { timeZone, key }) };
}

type OwnField = 'kind' | 'repeatCount' | 'repeatInterval' | 'timesTriggered' | 'misfireInstruction';

/** Fields that only one kind of trigger has, of each kind. */
type TriggerSchedule<T = Trigger> = T extends Trigger ? Omit<T, Exclude<keyof SimpleTrigger, OwnField>> : never;

function scheduleOf(
  { cron, dialect = 'quartz', every, after, on, misfire }: ScheduleOptions,
  { timeZone, key }: { readonly timeZone: string; readonly key: TriggerKey },
): TriggerSchedule {
  if (after !== undefined) return waitingFor([after].flat().map(toJobKey), on ?? 'success');
  const onCalendar = instructionOf(misfire, INTERVAL_MISFIRE);
  if (cron !== undefined) {
    const cronExpression = strictCron(cron, { dialect, key });
    return { kind: 'CRON', cronExpression, timeZone, misfireInstruction: onCalendar };
  }
  const repeat = every === undefined ? ONCE : repeatSchedule(every, timeZone);
  return repeat.kind === 'SIMPLE'
    ? { ...repeat, misfireInstruction: instructionOf(misfire, SIMPLE_MISFIRE) }
    : { ...repeat, misfireInstruction: onCalendar };
}

/** Returns the misfire instruction for a word such as 'skip'. Without a word, SMART_POLICY: the kind of trigger decides. */
function instructionOf<I>(word: MisfireWord | undefined, words: Readonly<Record<MisfireWord, I>>): I | 'SMART_POLICY' {
  return word === undefined ? 'SMART_POLICY' : words[word];
}

/** Converts a Date or ISO-8601 string to a time; null if absent. A string without an offset is interpreted in `timeZone`. Throws INVALID_ARGUMENT. */
function timeOf(given: Date | string | undefined, field: string, timeZone: string): EpochMs | null {
  if (given === undefined) return null;
  const time = typeof given === 'string' ? parseIsoTime(given, timeZoneOf(timeZone)) : timeOfDate(given);
  if (time === null)
    throw invalidArgument(`a valid Date, or an ISO-8601 time such as '2027-01-31T08:00Z', as ${field}`, given);
  return time;
}

function timeOfDate(date: Date): EpochMs | null {
  const time = date instanceof Date ? date.getTime() : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

function checkWhen(when: ScheduleOptions): void {
  checkOptions(checkObject(when, "a schedule such as { cron: '0 0 6 * * ?' }"), OPTIONS, OTHER_NAMES);
  refuseUndefined(when, OMITTED);
  const kinds = [when.cron, when.every, when.at, when.after].filter((kind) => kind !== undefined);
  if (kinds.length !== 1)
    throw badArgument(
      `Expected exactly one of cron, every, at and after, found ${kinds.length === 0 ? 'none' : kinds.length} of them.`,
    );
  checkAfter(when);
  if (when.at !== undefined && when.startAt !== undefined) {
    throw badArgument('Expected at or startAt, found both. at is the start time; remove startAt.');
  }
  if (when.misfire !== undefined) checkOneOf<string>(when.misfire, 'misfire', Object.keys(SIMPLE_MISFIRE));
  if (when.dialect === undefined) return;
  checkOneOf(when.dialect, 'dialect', ['quartz', 'unix']);
  if (when.cron === undefined) throw badArgument('Expected dialect only with cron, found dialect without cron.');
}

/** Options for triggers with fire times. None of them can be combined with `after`. */
const OF_TIMES = ['startAt', 'endAt', 'calendar', 'timeZone', 'misfire', 'dialect'] as const;

function checkAfter(when: ScheduleOptions): void {
  if (when.after === undefined) {
    if (when.on !== undefined) throw badArgument('Expected on only with after, found on without after.');
    return;
  }
  if (when.on !== undefined) checkOneOf<string>(when.on, 'on', ['success', 'failure', 'end']);
  const found = OF_TIMES.find((option) => when[option] !== undefined);
  if (found !== undefined)
    throw badArgument(`Expected no ${found} together with after, whose triggers have no fire times. Remove ${found}.`);
}
