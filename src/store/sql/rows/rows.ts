import { MAX_TIME } from '../../../base/clock';
import { badTrigger, SchedulerError, toError } from '../../../base/errors';
import { type ExecutionPolicy, POLICY_KEY, takePolicy, withPolicy } from '../../../domain/execution-policy';
import type { StoredCalendar } from '../../../domain/firing';
import { type JobData, NO_DATA } from '../../../domain/job-data';
import type { JobDetail } from '../../../domain/job-detail';
import { formatKey, type JobKey, type TriggerKey } from '../../../domain/keys';
import { misfireCodeOf, misfireInstructionOf } from '../../../domain/misfire-instructions';
import { DEFAULT_PRIORITY, type Trigger } from '../../../domain/trigger';
import { TRIGGER_STATES, type TriggerState } from '../../../domain/trigger-state';
import { type ListedValue, optional } from '../runtime/row-batches';
import { decodeCalendar } from './calendar';
import { decodeJobData, encodeJobData } from './job-data';
import { dataFormsOf, type RowProblem, type SqlNode } from './sql-node';
import { type KindColumns, readKind, toBoolean, toFlag, withTimesTriggered } from './trigger-kinds';

export interface JobRow {
  readonly JOB_NAME: string;
  readonly JOB_GROUP: string;
  readonly DETAIL_DESCRIPTION: string | null;
  readonly JOB_CLASS_NAME: string;
  /** IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA and REQUESTS_RECOVERY, separated by commas. */
  readonly JOB_FLAGS: string;
  readonly DETAIL_DATA: Uint8Array | null;
}

export interface TriggerRow extends KindColumns, JobRow {
  readonly TRIGGER_NAME: string;
  readonly TRIGGER_GROUP: string;
  readonly DESCRIPTION: string | null;
  readonly NEXT_FIRE_TIME: number | null;
  readonly PREV_FIRE_TIME: number | null;
  readonly PRIORITY: number | null;
  readonly TRIGGER_STATE: string;
  readonly START_TIME: number;
  readonly END_TIME: number | null;
  readonly CALENDAR_NAME: string | null;
  readonly MISFIRE_INSTR: number | null;
  readonly JOB_DATA: Uint8Array | null;
  /** Bytes of the calendar. Null if the calendar is not stored, even if CALENDAR_NAME names one. */
  readonly CALENDAR: Uint8Array | null;
  /** 1 if the job is non-concurrent and executing. */
  readonly JOB_EXECUTING: number;
  /** 1 if triggers wait for the end of the job. */
  readonly HAS_FOLLOWERS: number;
  /** First due time, if a misfire has moved the trigger to its present fire time; otherwise null. */
  readonly FIRST_DUE_TIME: number | null;
}

/** Stored instead of a missing time in NEXT_FIRE_TIME and PREV_FIRE_TIME. The last millisecond before 1970 has the same value. */
const NO_TIME = -1;
/** NEXT_FIRE_TIME of a trigger that waits for other jobs: so late that no node, including Java nodes, finds the trigger due or misfired. */
const NEVER_DUE = MAX_TIME;
/** END_TIME of a trigger without an end. */
const NO_END = 0;

const STATES: ReadonlySet<string> = new Set<TriggerState>(TRIGGER_STATES);

export function triggerKeyOf({
  TRIGGER_GROUP,
  TRIGGER_NAME,
}: Pick<TriggerRow, 'TRIGGER_GROUP' | 'TRIGGER_NAME'>): TriggerKey {
  return { group: TRIGGER_GROUP, name: TRIGGER_NAME };
}

export function jobKeyOf({ JOB_GROUP, JOB_NAME }: Pick<JobRow, 'JOB_GROUP' | 'JOB_NAME'>): JobKey {
  return { group: JOB_GROUP, name: JOB_NAME };
}

export function toTime(column: number | null): number | null {
  return column === NO_TIME ? null : column;
}

/** Returns the signal number in a column. Returns 0 if the number is out of range, which restarts the numbering. */
export function toCount(column: number): number {
  return Number.isSafeInteger(column) && column < MAX_TIME ? column : 0;
}

/** Returns a fire time in milliseconds; 0 if the column contains no valid time. */
export function toFireTime(column: number): number {
  return isTime(column) && column !== NO_TIME ? column : 0;
}

export function fromTime(time: number | null): number {
  return time ?? NO_TIME;
}

export function nextTimeColumn({ kind, nextFireTime }: Pick<Trigger, 'kind' | 'nextFireTime'>): number {
  return kind === 'AFTER' ? NEVER_DUE : fromTime(nextFireTime);
}

/** Returns the state of a trigger. Throws INVALID_TRIGGER if the state is unknown. */
export function toState({ TRIGGER_STATE }: Pick<TriggerRow, 'TRIGGER_STATE'>): TriggerState {
  if (STATES.has(TRIGGER_STATE)) return TRIGGER_STATE as TriggerState;
  throw badTrigger(`Expected one of ${[...STATES].join(', ')} in TRIGGER_STATE, found '${TRIGGER_STATE}'.`);
}

/** Throws an error that describes the problem, for example INVALID_TRIGGER or INVALID_JOB_DATA, if the row is unreadable. */
export function toTrigger(row: TriggerRow, { timeZone }: Pick<SqlNode, 'timeZone'>): Trigger {
  const key = triggerKeyOf(row);
  checkNumbers(row);
  const kind = readKind(row, timeZone);
  const misfireInstruction = misfireInstructionOf(kind.kind, row.MISFIRE_INSTR ?? 0);
  if (misfireInstruction === null) {
    throw badTrigger(`Expected a misfire instruction of a ${kind.kind} trigger, found ${row.MISFIRE_INSTR}.`);
  }
  const common = {
    key,
    jobKey: jobKeyOf(row),
    description: row.DESCRIPTION,
    data: row.JOB_DATA === null ? NO_DATA : decodeJobData(row.JOB_DATA, `trigger '${formatKey(key)}'`),
    priority: row.PRIORITY ?? DEFAULT_PRIORITY,
    startTime: row.START_TIME,
    endTime: row.END_TIME === NO_END ? null : row.END_TIME,
    calendarName: row.CALENDAR_NAME,
    nextFireTime: kind.kind === 'AFTER' ? null : toTime(row.NEXT_FIRE_TIME),
    previousFireTime: toTime(row.PREV_FIRE_TIME),
    misfireInstruction,
  };
  // Every firing calls this function: two spreads would take fifty times as long.
  return havingPolicy(withTimesTriggered(Object.assign(common, kind) as Trigger));
}

/** Moves the policy of a job or trigger from its data to `policy`. Does nothing if there is no policy. */
function havingPolicy<T extends { readonly data: JobData; readonly policy?: ExecutionPolicy }>(owner: T): T {
  if (owner.data[POLICY_KEY] === undefined) return owner;
  const { data, policy } = takePolicy(owner.data);
  return Object.assign(owner, policy === undefined ? { data } : { data, policy });
}

/** Throws INVALID_TRIGGER unless each time fits a Date and the priority is exact, because the columns accept any 64-bit integer. */
function checkNumbers(row: TriggerRow): void {
  for (const column of TIMES) {
    const time = row[column];
    if (time !== null && !isTime(time)) throw badNumber(column, 'a time', time);
  }
  if (row.PRIORITY !== null && !Number.isSafeInteger(row.PRIORITY))
    throw badNumber('PRIORITY', 'a number', row.PRIORITY);
}

export function isTime(value: number): boolean {
  return value >= -MAX_TIME && value <= MAX_TIME;
}

const TIMES = ['NEXT_FIRE_TIME', 'PREV_FIRE_TIME', 'START_TIME', 'END_TIME'] as const;

function badNumber(column: string, expected: string, found: number): SchedulerError {
  return badTrigger(`Expected ${expected} in ${column}, found ${found}, which is out of range.`);
}

/** Columns common to all kinds of trigger, in the order of insertTriggers and updateTriggers. `stored`: data column to replace, in its format. */
export function triggerColumns(
  trigger: Trigger,
  state: TriggerState,
  stored: Uint8Array | null,
  node: SqlNode,
): readonly ListedValue[] {
  const { key, jobKey, kind } = trigger;
  return [
    key.name,
    key.group,
    jobKey.name,
    jobKey.group,
    nextTimeColumn(trigger),
    trigger.startTime,
    fromTime(trigger.previousFireTime),
    trigger.priority,
    state,
    kind,
    trigger.endTime ?? NO_END,
    misfireCodeOf(kind, trigger.misfireInstruction),
    optional(trigger.description),
    optional(trigger.calendarName),
    dataColumn(trigger, stored, node, 'trigger'),
  ];
}

export function triggerKeyColumns({ group, name }: TriggerKey) {
  return { triggerName: name, triggerGroup: group };
}

export function jobKeyColumns({ group, name }: JobKey) {
  return { jobName: name, jobGroup: group };
}

/** Name and group: the first columns of rows that statements receive as lists. */
export function keyList({ group, name }: TriggerKey | JobKey): readonly [string, string] {
  return [name, group];
}

/** Returns the job in a row. Throws INVALID_JOB_DATA if its data is unreadable. */
export function toJobDetail(row: JobRow): JobDetail {
  const key = jobKeyOf(row);
  const flags = toJobFlags(row);
  const detail: JobDetail = {
    key,
    jobType: row.JOB_CLASS_NAME,
    description: row.DETAIL_DESCRIPTION,
    data: row.DETAIL_DATA === null ? NO_DATA : decodeJobData(row.DETAIL_DATA, `job '${formatKey(key)}'`),
    durable: flags.durable,
    disallowConcurrentExecution: flags.disallowConcurrentExecution,
    persistJobDataAfterExecution: flags.persistJobDataAfterExecution,
    requestsRecovery: flags.requestsRecovery,
  };
  return havingPolicy(detail);
}

export function toJobFlags({ JOB_FLAGS }: Pick<JobRow, 'JOB_FLAGS'>) {
  const [durable = '', nonConcurrent = '', updateData = '', requestsRecovery = ''] = JOB_FLAGS.split(',');
  return {
    durable: toBoolean(durable),
    disallowConcurrentExecution: toBoolean(nonConcurrent),
    persistJobDataAfterExecution: toBoolean(updateData),
    requestsRecovery: toBoolean(requestsRecovery),
  };
}

/** Returns the columns of a job, in the order of insertJobs and updateJobs. `stored`: the data column to replace; its format is kept. */
export function jobColumns(job: JobDetail, stored: Uint8Array | null, node: SqlNode): readonly ListedValue[] {
  return [
    job.key.name,
    job.key.group,
    job.jobType,
    toFlag(job.durable),
    toFlag(job.disallowConcurrentExecution),
    toFlag(job.persistJobDataAfterExecution),
    toFlag(job.requestsRecovery),
    optional(job.description),
    dataColumn(job, stored, node, 'job'),
  ];
}

function dataColumn(
  { key, data, policy }: Pick<JobDetail, 'key' | 'data' | 'policy'>,
  stored: Uint8Array | null,
  node: SqlNode,
  what: 'job' | 'trigger',
) {
  const column = { stored, ...dataFormsOf(node), owner: `${what} '${formatKey(key)}'` };
  return optional(toHex(encodeJobData(withPolicy(data, policy), column)));
}

/** Calendar that a trigger's row names; null if none. Throws CALENDAR_NOT_FOUND if it is not stored, and INVALID_CALENDAR if it is unreadable. */
export function toCalendar(
  row: TriggerRow,
  { timeZone, policy }: Pick<SqlNode, 'timeZone' | 'policy'>,
): StoredCalendar | null {
  const { CALENDAR, CALENDAR_NAME } = row;
  if (CALENDAR_NAME === null) return null;
  if (CALENDAR !== null) return decodeCalendar(CALENDAR, CALENDAR_NAME, timeZone, policy.rules);
  throw new SchedulerError(
    'CALENDAR_NOT_FOUND',
    `Expected the calendar '${CALENDAR_NAME}' of the trigger '${formatKey(triggerKeyOf(row))}' to be stored, found none. ` +
      'Store the calendar first.',
  );
}

/** Returns the result of `read`. If `read` throws, reports a problem with the row of `target` and returns null. */
export function readable<T>(node: SqlNode, target: Omit<RowProblem, 'error'>, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    node.onRowProblem({ ...target, error: toError(error) });
    return null;
  }
}

export function toHex(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
