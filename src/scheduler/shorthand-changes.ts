import type { ScheduleOptions } from '../api/schedule-options';
import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { CronExpression } from '../domain/cron/cron-expression';
import { toQuartzCron } from '../domain/cron/unix-cron';
import { NO_DATA } from '../domain/job-data';
import { DEFAULT_GROUP, type JobKey } from '../domain/keys';
import { INTERVAL_MISFIRE, SIMPLE_MISFIRE } from '../domain/misfire-instructions';
import type { ScheduleChange } from '../domain/schedule-change';
import {
  type CalendarIntervalTrigger,
  type CronTrigger,
  DEFAULT_PRIORITY,
  REPEAT_INDEFINITELY,
  type SimpleTrigger,
  type Trigger,
} from '../domain/trigger';
import { checkFlag, checkOneOf, checkOptions, invalid, type TriggerDefaults } from './checked-input';
import { readRepeatInterval } from './repeat-interval';

const OPTIONS: Readonly<Record<keyof ScheduleOptions, true>> = {
  cron: true,
  dialect: true,
  every: true,
  at: true,
  timeZone: true,
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
  registeredLater: true,
  misfire: true,
};

/** What people write who know the builders or older files. */
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
 * The upsert that `scheduler.schedule(name, when)` stands for: a job and a trigger, both of that name. `set`: the declared set that they
 * belong to.
 */
export function shorthandChanges(
  name: string,
  when: ScheduleOptions,
  defaults: TriggerDefaults,
  set: string | null,
): ShorthandChanges {
  checkWhen(when);
  const key = { group: when.group ?? DEFAULT_GROUP, name };
  const data = when.data ?? NO_DATA;
  const description = when.description ?? null;
  const job = {
    key,
    jobType: name,
    description,
    data,
    durable: false,
    disallowConcurrentExecution: when.disallowConcurrentExecution ?? false,
    persistJobDataAfterExecution: when.persistJobDataAfterExecution ?? false,
    requestsRecovery: when.requestsRecovery ?? when.requestRecovery ?? false,
  };
  return [
    {
      type: 'storeJob',
      job,
      ifExists: 'replace',
      requireTrigger: true,
      registeredLater: checkFlag(when.registeredLater ?? false, 'registeredLater'),
    },
    {
      type: 'storeTrigger',
      trigger: toShorthandTrigger(key, when, defaults),
      ifExists: 'replace',
      startTimeDefaulted: startOf(when) === undefined,
      timeZoneDefaulted: defaults.timeZoneDefaulted && when.timeZone === undefined,
      declared: { set },
    },
  ];
}

function toShorthandTrigger(key: JobKey, when: ScheduleOptions, defaults: TriggerDefaults): Trigger {
  const common = {
    key,
    jobKey: key,
    description: when.description ?? null,
    data: NO_DATA,
    priority: when.priority ?? DEFAULT_PRIORITY,
    startTime: timeOf(startOf(when), when.at === undefined ? 'startAt' : 'at') ?? defaults.startTime,
    endTime: timeOf(when.endAt, 'endAt'),
    calendarName: when.calendar ?? when.calendarName ?? null,
    nextFireTime: null,
    previousFireTime: null,
  };
  return { ...common, ...scheduleOf(when, { timeZone: when.timeZone ?? defaults.timeZone, seed: key.name }) };
}

type OwnField = 'kind' | 'repeatCount' | 'repeatInterval' | 'timesTriggered' | 'misfireInstruction';

/** What one kind of trigger has besides what all have. */
type ScheduleOf<T extends Trigger> = Omit<T, Exclude<keyof SimpleTrigger, OwnField>>;

function scheduleOf(
  { cron, dialect = 'quartz', every, misfire = 'fire' }: ScheduleOptions,
  { timeZone, seed }: { readonly timeZone: string; readonly seed: string },
): ScheduleOf<CronTrigger> | ScheduleOf<SimpleTrigger> | ScheduleOf<CalendarIntervalTrigger> {
  const repeating = { timesTriggered: 0, misfireInstruction: SIMPLE_MISFIRE[misfire] };
  if (cron !== undefined) {
    const cronExpression = dialect === 'unix' ? toQuartzCron(cron, { seed }) : strictly(cron);
    return { kind: 'CRON', cronExpression, timeZone, misfireInstruction: INTERVAL_MISFIRE[misfire] };
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
    misfireInstruction: INTERVAL_MISFIRE[misfire],
  };
}

/** What people write is held to the grammar; what is stored is read as Quartz reads it. */
function strictly(cron: string): string {
  CronExpression.validateExpression(cron);
  return cron.trim();
}

function startOf({ at, startAt }: ScheduleOptions): Date | undefined {
  return at ?? startAt;
}

function timeOf(date: Date | undefined, field: string): EpochMs | null {
  if (date === undefined) return null;
  const time = date instanceof Date ? date.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw invalid(`a valid Date as ${field}`, date);
  return time;
}

function checkWhen(when: ScheduleOptions): void {
  if (typeof when !== 'object' || when === null) {
    throw invalid("when to run, such as { cron: '0 0 6 * * ?' }", when);
  }
  checkOptions(when, OPTIONS, FORMER_NAMES);
  checkOnce(when, 'calendar', 'calendarName');
  checkOnce(when, 'requestsRecovery', 'requestRecovery');
  const kinds = [when.cron, when.every, when.at].filter((kind) => kind !== undefined);
  if (kinds.length !== 1) throw bad(`Expected exactly one of cron, every and at, found ${kinds.length} of them.`);
  if (when.at !== undefined && when.startAt !== undefined) {
    throw bad('Expected at or startAt, found both; at is the start.');
  }
  if (when.misfire !== undefined) checkOneOf<string>(when.misfire, 'misfire', Object.keys(SIMPLE_MISFIRE));
  if (when.dialect !== undefined) checkOneOf(when.dialect, 'dialect', ['quartz', 'unix']);
}

function checkOnce(when: ScheduleOptions, name: keyof ScheduleOptions, former: keyof ScheduleOptions): void {
  if (when[name] === undefined || when[former] === undefined) return;
  throw bad(`Expected ${name} or ${former}, its former name, found both.`);
}

function bad(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}
