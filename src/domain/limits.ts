import { MAX_TIME } from '../base/clock';
import { badTrigger, SchedulerError } from '../base/errors';
import type { CalendarData } from './calendars/calendar';
import { checkJobData } from './check-job-data';
import { checkText, describeValue, invalidArgument, isNameIn } from './check-text';
import { checkJobPolicy, checkPolicy, POLICY_KEY } from './execution-policy';
import type { JobData } from './job-data';
import type { JobDetail } from './job-detail';
import { formatKey, type JobKey, parseKey, type TriggerKey } from './keys';
import { zoneNameOf } from './time/zone-name';
import { type AfterTrigger, MAX_INT, SCHEDULE_FIELDS, type TimeOfDay, type Trigger } from './trigger';

/** Maximum lengths in characters, from Quartz's columns. All stores apply these limits, so that a schedule can move between stores. */
export const LIMITS = {
  name: 190,
  group: 190,
  schedulerName: 120,
  instanceId: 190,
  runId: 95,
  occurrenceId: 95,
  cronExpression: 120,
  description: 250,
  jobType: 250,
  timeZone: 80,
  pauseReason: 1_000,
  pausedBy: 190,
  /** Maximum size of a calendar as JSON, in bytes: the size of a BLOB column. */
  calendarBytes: 65_535,
} as const;

/** Validates a key (object, `group/name`, or a name in the group DEFAULT) and returns a frozen copy. Throws INVALID_ARGUMENT. */
export function checkKey(key: unknown, what: 'job' | 'trigger'): JobKey & TriggerKey {
  if (!isKeyLike(key)) throw invalidArgument(`a ${what} key: 'group/name', a name, or { name, group }`, key);
  const { group, name } = typeof key === 'string' ? parseKey(key) : key;
  return Object.freeze({
    group: checkText(group, `the group of a ${what}`, LIMITS.group),
    name: checkText(name, `the name of a ${what}`, LIMITS.name),
  });
}

function isKeyLike(key: unknown): key is Partial<JobKey> | string {
  return typeof key === 'string' || (typeof key === 'object' && key !== null);
}

/** Validates a job and returns a frozen copy that any store can save. Throws INVALID_ARGUMENT or INVALID_JOB_DATA. */
export function checkJobDetail(job: JobDetail): JobDetail {
  if (typeof job !== 'object' || job === null) throw invalidArgument('a job detail', job);
  const key = checkKey(job.key, 'job');
  const owner = `job '${formatKey(key)}'`;
  if (job.unreadable !== undefined) throw new SchedulerError('INVALID_JOB_DATA', partly(owner, job.unreadable));
  const flag = (name: keyof JobDetail) => checkFlag(job[name], `${name} of ${owner}`);
  const checked: JobDetail = {
    key,
    jobType: checkText(job.jobType, `the job type of ${owner}`, LIMITS.jobType),
    description: checkDescription(job.description, ` of ${owner}`),
    data: checkData(job.data, owner),
    durable: flag('durable'),
    disallowConcurrentExecution: flag('disallowConcurrentExecution'),
    persistJobDataAfterExecution: flag('persistJobDataAfterExecution'),
    requestsRecovery: flag('requestsRecovery'),
  };
  const policy = checkJobPolicy(job.policy, owner);
  return Object.freeze(policy === undefined ? checked : { ...checked, policy });
}

/** Validates job data. Also rejects the data key under which stores save the policy. */
function checkData(data: unknown, owner: string): JobData {
  const checked = checkJobData(data, owner);
  if (!Object.hasOwn(checked, POLICY_KEY)) return checked;
  const advice = 'Set these fields with methods such as withRetry and withHistory';
  throw new SchedulerError('INVALID_JOB_DATA', `Expected the data of ${owner} without '${POLICY_KEY}'. ${advice}.`);
}

/** Validates a trigger and returns a frozen copy that any store can save. Throws INVALID_ARGUMENT, INVALID_TRIGGER or INVALID_JOB_DATA. */
export function checkTrigger(trigger: Trigger): Trigger {
  if (typeof trigger !== 'object' || trigger === null) throw invalidArgument('a trigger', trigger);
  const key = checkKey(trigger.key, 'trigger');
  const owner = `trigger '${formatKey(key)}'`;
  if (trigger.unreadable !== undefined) throw badTrigger(partly(owner, trigger.unreadable));
  const copy: Record<string, unknown> = {
    kind: trigger.kind,
    key,
    jobKey: checkKey(trigger.jobKey, 'job'),
    description: checkDescription(trigger.description, ` of ${owner}`),
    data: checkData(trigger.data, owner),
    priority: checkPriority(trigger.priority, owner),
    startTime: checkTime(trigger.startTime, `startTime of ${owner}`),
    endTime: trigger.endTime === null ? null : checkTime(trigger.endTime, `endTime of ${owner}`),
    calendarName: trigger.calendarName === null ? null : checkCalendarName(trigger.calendarName),
    nextFireTime: trigger.nextFireTime,
    previousFireTime: trigger.previousFireTime,
    misfireInstruction: trigger.misfireInstruction,
  };
  if (trigger.kind !== 'CRON') copy.timesTriggered = trigger.timesTriggered;
  for (const field of fieldsOf(trigger.kind, owner)) copy[field] = frozenCopy(trigger[field as keyof Trigger]);
  checkLength(copy.cronExpression, `the cron expression of ${owner}`, LIMITS.cronExpression);
  checkLength(copy.timeZone, `the time zone of ${owner}`, LIMITS.timeZone);
  if (typeof copy.timeZone === 'string') copy.timeZone = zoneNameOf(copy.timeZone);
  if (trigger.kind === 'AFTER') Object.assign(copy, checkParents(trigger, owner));
  const policy = checkPolicy(trigger.policy, owner);
  if (policy !== undefined) copy.policy = policy;
  return Object.freeze(copy) as unknown as Trigger;
}

function checkParents({ after, ended }: AfterTrigger, owner: string): Pick<AfterTrigger, 'after' | 'ended'> {
  if (!Array.isArray(after)) throw invalidArgument(`a list of jobs as \`after\` of ${owner}`, after);
  if (!Array.isArray(ended)) throw invalidArgument(`a list of numbers as ended of ${owner}`, ended);
  const keys = Object.freeze(after.map((key) => checkKey(key, 'job')));
  return { after: keys, ended: Object.freeze([...ended]) };
}

/** Returns the error message for an attempt to store an object that this node can read only in part. Storing it would delete the unreadable part. */
function partly(owner: string, cause: string): string {
  return `Expected a complete ${owner}, found only the part that this node can read (${cause}). Build it again to replace it.`;
}

/** Validates that a calendar fits into its column as JSON, and returns the calendar. Throws INVALID_CALENDAR. */
export function checkCalendarSize(calendar: CalendarData, name: string): CalendarData {
  const bytes = Buffer.byteLength(JSON.stringify(calendar));
  if (bytes <= LIMITS.calendarBytes) return calendar;
  throw new SchedulerError(
    'INVALID_CALENDAR',
    `Expected calendar '${name}' to take at most ${LIMITS.calendarBytes} bytes as JSON, found ${bytes}. Chain smaller ` +
      'calendars, or remove past dates.',
  );
}

/** Validates the name of a calendar and returns it. Throws INVALID_ARGUMENT. */
export function checkCalendarName(name: unknown): string {
  return checkText(name, 'the name of a calendar', LIMITS.name);
}

function fieldsOf(kind: Trigger['kind'], owner: string): readonly string[] {
  if (isNameIn(SCHEDULE_FIELDS, kind)) return SCHEDULE_FIELDS[kind];
  const kinds = Object.keys(SCHEDULE_FIELDS).join(', ');
  throw badTrigger(
    `Expected one of ${kinds} as kind of ${owner}, found ${describeValue(kind)}. Build triggers with newTrigger().`,
  );
}

function checkLength(text: unknown, what: string, limit: number): void {
  if (text !== undefined) checkText(text, what, limit);
}

/** Validates a description; an empty one becomes null. `ofWhat` names the owner in the error message. Throws INVALID_ARGUMENT. */
export function checkDescription(description: unknown, ofWhat = ''): string | null {
  if (description === null || description === '') return null;
  return checkText(description, `the description${ofWhat}`, LIMITS.description);
}

/** Validates a boolean and returns it. Throws INVALID_ARGUMENT for any other value. */
export function checkFlag(flag: unknown, what: string): boolean {
  if (typeof flag !== 'boolean') throw invalidArgument(`true or false as ${what}`, flag);
  return flag;
}

function checkPriority(priority: unknown, owner: string): number {
  const isInt = Number.isInteger(priority) && Math.abs(priority as number) <= MAX_INT;
  if (!isInt && priority !== -MAX_INT - 1) throw invalidArgument(`a 32-bit integer as priority of ${owner}`, priority);
  return priority as number;
}

function checkTime(time: unknown, what: string): number {
  if (!Number.isInteger(time) || Math.abs(time as number) > MAX_TIME)
    throw invalidArgument(`a valid time as ${what}`, time);
  return time as number;
}

/** Returns a frozen copy of a field value: a primitive, an array or a time of day. Drops unknown members of a time of day. */
function frozenCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze([...value]);
  const { hour, minute, second } = value as Partial<TimeOfDay>;
  return Object.freeze({ hour, minute, second });
}
