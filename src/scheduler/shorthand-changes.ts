import { Duration } from 'luxon';
import type { ScheduleOptions } from '../api/schedule-options';
import type { JobTypeOption } from '../api/typed-jobs';
import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { checkOptions } from '../domain/check-options';
import { checkText, describeValue } from '../domain/check-text';
import { CronExpression, plainCron } from '../domain/cron/cron-expression';
import { checkPolicy, type PolicyField } from '../domain/execution-policy';
import { NO_DATA } from '../domain/job-data';
import { formatKey, type JobKey, type JobKeyLike, type TriggerKey } from '../domain/keys';
import { checkKey, LIMITS } from '../domain/limits';
import { INTERVAL_MISFIRE, type MisfireWord, SIMPLE_MISFIRE } from '../domain/misfire-instructions';
import type { Declarer } from '../domain/override';
import type { ScheduleChange } from '../domain/schedule-change';
import { parseIsoTime } from '../domain/time/iso-time';
import { parseShortDuration } from '../domain/time/short-duration';
import { timeZoneOf } from '../domain/time/time-zone';
import {
  type AfterTrigger,
  type CalendarIntervalTrigger,
  type CronTrigger,
  DEFAULT_PRIORITY,
  type IntervalUnit,
  REPEAT_INDEFINITELY,
  type SimpleTrigger,
  type Trigger,
} from '../domain/trigger';
import { waitingFor } from '../domain/triggers/after-trigger';
import { checkFlag, checkOneOf, invalid, type TriggerDefaults, toJobKey } from './checked-input';

/** What `schedule` is given: with `job`, the name of a registered type. */
export type GivenSchedule = ScheduleOptions & Partial<JobTypeOption>;

/** Each field of a policy is an option, held by the compiler. */
const OPTIONS: Readonly<Record<keyof GivenSchedule | PolicyField, true>> = {
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
  calendarName: true,
  disallowConcurrentExecution: true,
  persistJobDataAfterExecution: true,
  requestsRecovery: true,
  requestRecovery: true,
  retry: true,
  history: true,
  concurrency: true,
  rate: true,
  timeout: true,
  startWithin: true,
  spread: true,
  runsOn: true,
  prefers: true,
  overlap: true,
  catchUp: true,
  mustSucceedWithin: true,
  jitter: true,
  registeredLater: true,
  misfire: true,
};

/** Names of the builders and of older files, for a hint. */
const FORMER_NAMES = {
  startTime: 'startAt',
  endTime: 'endAt',
  misfireInstruction: 'misfire',
  jobDataMap: 'data',
} as const;

type StoreJob = ScheduleChange & { readonly type: 'storeJob' };
type StoreTrigger = ScheduleChange & { readonly type: 'storeTrigger' };

/** A job and its trigger. */
export type ShorthandChanges = readonly [StoreJob, StoreTrigger];

/**
 * The upsert that `scheduler.schedule(name, when)` stands for: a job and a trigger, both of that key, `group/name` or a name. `declared`:
 * who declares them.
 */
export function shorthandChanges(
  name: string,
  when: GivenSchedule,
  defaults: TriggerDefaults,
  declared: Declarer,
): ShorthandChanges {
  checkWhen(when);
  const key = checkKey(when.group === undefined ? name : { name, group: when.group }, 'job');
  const data = when.data ?? NO_DATA;
  const description = when.description ?? null;
  const { catchUp, jitter, ...ofJob } = when; // of the times of the schedule: a run by hand is not put off
  const owner = `job '${formatKey(key)}'`;
  const policy = checkPolicy(ofJob, owner);
  const ofTrigger = checkPolicy({ catchUp, jitter }, owner);
  const job = {
    key,
    jobType: when.job === undefined ? name : checkText(when.job, 'a job type as job', LIMITS.jobType),
    description,
    data,
    durable: false,
    disallowConcurrentExecution: when.disallowConcurrentExecution ?? false,
    persistJobDataAfterExecution: when.persistJobDataAfterExecution ?? false,
    requestsRecovery: when.requestsRecovery ?? when.requestRecovery ?? false,
    ...(policy !== undefined && { policy }),
  };
  return [
    {
      type: 'storeJob',
      job,
      ifExists: 'replace',
      requireTrigger: true,
      registeredLater: checkFlag(when.registeredLater ?? false, 'registeredLater'),
      declared,
    },
    {
      type: 'storeTrigger',
      trigger: { ...toShorthandTrigger(key, when, defaults), ...(ofTrigger !== undefined && { policy: ofTrigger }) },
      ifExists: 'replace',
      startTimeDefaulted: startOf(when) === undefined,
      timeZoneDefaulted: defaults.timeZoneDefaulted && when.timeZone === undefined,
      declared,
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
    startTime: timeOf(startOf(when), when.at === undefined ? 'startAt' : 'at', timeZone) ?? defaults.startTime,
    endTime: timeOf(when.endAt, 'endAt', timeZone),
    calendarName: when.calendar ?? when.calendarName ?? null,
    nextFireTime: null,
    previousFireTime: null,
  };
  return { ...common, ...scheduleOf(when, { timeZone, key }) };
}

type OwnField = 'kind' | 'repeatCount' | 'repeatInterval' | 'timesTriggered' | 'misfireInstruction';

/** The fields of one kind of trigger that not every trigger has. */
type ScheduleOf<T extends Trigger> = Omit<T, Exclude<keyof SimpleTrigger, OwnField>>;

type TriggerSchedule =
  | ScheduleOf<CronTrigger>
  | ScheduleOf<SimpleTrigger>
  | ScheduleOf<CalendarIntervalTrigger>
  | ScheduleOf<AfterTrigger>;

function scheduleOf(
  { cron, dialect = 'quartz', every, after, on, misfire }: ScheduleOptions,
  { timeZone, key }: { readonly timeZone: string; readonly key: TriggerKey },
): TriggerSchedule {
  if (after !== undefined) return waitingFor(parentsIn(after), on ?? 'success');
  const repeating = { timesTriggered: 0, misfireInstruction: instructionOf(misfire, SIMPLE_MISFIRE) };
  const onCalendar = instructionOf(misfire, INTERVAL_MISFIRE);
  if (cron !== undefined) {
    const cronExpression = strictly(plainCron(cron, { dialect, key }));
    return { kind: 'CRON', cronExpression, timeZone, misfireInstruction: onCalendar };
  }
  if (every === undefined) return { kind: 'SIMPLE', repeatCount: 0, repeatInterval: 0, ...repeating };
  const interval = readRepeatInterval(every);
  if (interval.kind === 'SIMPLE') return { ...interval, repeatCount: REPEAT_INDEFINITELY, ...repeating };
  return {
    ...interval,
    timeZone,
    // Every day means every day at that hour.
    preserveHourOfDayAcrossDaylightSavings: true,
    skipDayIfHourDoesNotExist: false,
    timesTriggered: 0,
    misfireInstruction: onCalendar,
  };
}

/** Without a word, that of builders and schedule files: the kind of trigger decides. */
function instructionOf<I>(word: MisfireWord | undefined, words: Readonly<Record<MisfireWord, I>>): I | 'SMART_POLICY' {
  return word === undefined ? 'SMART_POLICY' : words[word];
}

function parentsIn(after: JobKeyLike | readonly JobKeyLike[]): readonly JobKey[] {
  return isList(after) ? after.map(toJobKey) : [toJobKey(after)];
}

function isList(after: JobKeyLike | readonly JobKeyLike[]): after is readonly JobKeyLike[] {
  return Array.isArray(after);
}

/** An expression in a program must follow the grammar; a stored one is read as Quartz reads it. */
function strictly(cron: string): string {
  CronExpression.validateExpression(cron);
  return cron.trim();
}

function startOf({ at, startAt }: ScheduleOptions): Date | string | undefined {
  return at ?? startAt;
}

/** `timeZone`: by whose clock a text without an offset is read. */
function timeOf(given: Date | string | undefined, field: string, timeZone: string): EpochMs | null {
  if (given === undefined) return null;
  const time = typeof given === 'string' ? parseIsoTime(given, timeZoneOf(timeZone)) : timeOfDate(given);
  if (time === null) throw invalid(`a valid Date, or an ISO-8601 time such as '2027-01-31T08:00Z', as ${field}`, given);
  return time;
}

function timeOfDate(date: Date): EpochMs | null {
  const time = date instanceof Date ? date.getTime() : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

function checkWhen(when: ScheduleOptions): void {
  if (typeof when !== 'object' || when === null) {
    throw invalid("when to run, such as { cron: '0 0 6 * * ?' }", when);
  }
  checkOptions(when, OPTIONS, FORMER_NAMES);
  checkOnce(when, 'calendar', 'calendarName');
  checkOnce(when, 'requestsRecovery', 'requestRecovery');
  const kinds = [when.cron, when.every, when.at, when.after].filter((kind) => kind !== undefined);
  if (kinds.length !== 1)
    throw bad(`Expected exactly one of cron, every, at and after, found ${kinds.length} of them.`);
  checkAfter(when);
  if (when.at !== undefined && when.startAt !== undefined) {
    throw bad('Expected at or startAt, found both; at is the start.');
  }
  if (when.misfire !== undefined) checkOneOf<string>(when.misfire, 'misfire', Object.keys(SIMPLE_MISFIRE));
  if (when.dialect !== undefined) checkOneOf(when.dialect, 'dialect', ['quartz', 'unix']);
}

/** What goes with times goes with no chain. */
const OF_TIMES = ['startAt', 'endAt', 'calendar', 'calendarName', 'timeZone', 'misfire', 'dialect'] as const;

function checkAfter(when: ScheduleOptions): void {
  if (when.after === undefined) {
    if (when.on !== undefined) throw bad('Expected on only with after, found it without.');
    return;
  }
  if (when.on !== undefined) checkOneOf<string>(when.on, 'on', ['success', 'failure', 'end']);
  const found = OF_TIMES.find((option) => when[option] !== undefined);
  if (found !== undefined) throw bad(`Expected no ${found} with after, which fires by no time. Leave it out.`);
}

function checkOnce(when: ScheduleOptions, name: keyof ScheduleOptions, former: keyof ScheduleOptions): void {
  if (when[name] === undefined || when[former] === undefined) return;
  throw bad(`Expected ${name} or ${former}, its former name, found both.`);
}

function bad(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}

/** How often something repeats: on the clock, or on the calendar, where days and months differ in length. */
type RepeatInterval =
  | { readonly kind: 'SIMPLE'; readonly repeatInterval: number }
  | { readonly kind: 'CAL_INT'; readonly repeatInterval: number; readonly repeatIntervalUnit: IntervalUnit };

const CALENDAR_UNITS = { years: 'YEAR', months: 'MONTH', weeks: 'WEEK', days: 'DAY' } as const;

/** Longer texts are no durations and are not parsed. */
const LONGEST_TEXT = 64;

/**
 * Reads `every` of the short form: milliseconds, a short duration such as '5m' or '1d', or an ISO-8601 duration. Hours, minutes and seconds count on the
 * clock; one of years, months, weeks and days counts on the calendar. Throws INVALID_ARGUMENT.
 */
export function readRepeatInterval(every: number | string): RepeatInterval {
  if (typeof every === 'number') return { kind: 'SIMPLE', repeatInterval: checkCount(every, every) };
  if (typeof every !== 'string' || every.length > LONGEST_TEXT) throw unreadable(every);
  const duration = Duration.fromISO(/\dd/.test(every) ? isoOfShort(every) : every);
  const milliseconds = duration.isValid ? Number.NaN : Math.round(parseShortDuration(every));
  if (!Number.isNaN(milliseconds)) return { kind: 'SIMPLE', repeatInterval: checkCount(milliseconds, every) };
  if (!duration.isValid) throw unreadable(every);
  const calendarUnits = (Object.keys(CALENDAR_UNITS) as (keyof typeof CALENDAR_UNITS)[]).filter(
    (unit) => duration[unit] !== 0,
  );
  const [unit] = calendarUnits;
  if (unit === undefined) return { kind: 'SIMPLE', repeatInterval: checkCount(duration.toMillis(), every) };
  const rest = duration.set({ [unit]: 0 }).toMillis();
  if (calendarUnits.length > 1 || rest !== 0) throw mixed(every);
  return {
    kind: 'CAL_INT',
    repeatInterval: checkCount(duration[unit], every),
    repeatIntervalUnit: CALENDAR_UNITS[unit],
  };
}

/** `P1D` of `1d`, which is a day of the calendar as well; the parts of a mixed one are told apart by what reads it. */
function isoOfShort(every: string): string {
  if (Number.isNaN(parseShortDuration(every))) return every;
  const [, days = '', rest = ''] = /^(\d+(?:\.\d+)?)d(.*)$/.exec(every) ?? [];
  return rest === '' ? `P${days}D` : `P${days}DT${rest.toUpperCase()}`;
}

function checkCount(count: number, found: number | string): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw unreadable(found);
}

function unreadable(found: unknown): SchedulerError {
  return bad(
    `Expected a positive number of milliseconds, or a duration such as '5m', '1h30m', '1d', 'PT5M' or 'P1D', as every, found ${describeValue(found)}.`,
  );
}

function mixed(found: string): SchedulerError {
  return bad(
    'Expected a duration of one calendar unit (P1D, P2W, P1M, P1Y) or of hours, minutes and seconds (PT36H) as every, ' +
      `found '${found}'. A day is not always 24 hours, so the two do not mix.`,
  );
}
