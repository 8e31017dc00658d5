import { createHash } from 'node:crypto';
import type { EpochMs } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { FiringParts, StoredCalendar } from '../../../domain/firing';
import { NO_DATA } from '../../../domain/job-data';
import type { JobDetail } from '../../../domain/job-detail';
import { DEFAULT_PRIORITY, type SimpleTrigger, type Trigger } from '../../../domain/trigger';
import type { TriggerState } from '../../../domain/trigger-state';
import type { StoredTrigger } from '../../job-store';
import { decodeCalendar } from './calendar';
import {
  isTime,
  type JobRow,
  jobKeyOf,
  type TriggerRow,
  toCalendar,
  toJobDetail,
  toJobFlags,
  toState,
  toTime,
  toTrigger,
  triggerKeyOf,
} from './rows';
import type { SqlNode } from './sql-node';
import type { MetTrigger, RowTarget } from './unreadable-rows';

export interface ReadTrigger extends FiringParts {
  readonly firstDueTime: EpochMs | null;
  readonly row: TriggerRow;
}

/** Reads a row. Null if this node cannot read it; the caller must then skip the trigger. An unreadable row must not affect any other row. */
export function readTrigger(row: TriggerRow, node: SqlNode): ReadTrigger | null {
  return (node.unreadable.isEmpty ? readSound(row, node) : null) ?? readWithCare(row, node);
}

/** Reads a row without checking for known unreadable rows. Null if the row is unreadable. */
function readSound(row: TriggerRow, node: SqlNode): ReadTrigger | null {
  try {
    const trigger = toTrigger(row, node);
    const { FIRST_DUE_TIME: firstDueTime } = row;
    const hasFollowers = row.HAS_FOLLOWERS === 1;
    return { trigger, jobDetail: toJobDetail(row), calendar: toCalendar(row, node), firstDueTime, hasFollowers, row };
  } catch {
    return null; // `readWithCare` then reads the row again and reports it
  }
}

function readWithCare(row: TriggerRow, node: SqlNode): ReadTrigger | null {
  return node.unreadable.readTrigger(metTrigger(row), () => ({
    trigger: toTrigger(row, node),
    jobDetail: readJob(row, node),
    calendar: readCalendar(row, node),
    firstDueTime: row.FIRST_DUE_TIME,
    hasFollowers: row.HAS_FOLLOWERS === 1,
    row,
  }));
}

/** Returns the result of `compute` for a trigger. Null if `compute` fails; the caller must then skip the trigger. */
export function computed<T>(row: TriggerRow, node: SqlNode, compute: () => T): T | null {
  return node.unreadable.compute(metTrigger(row), compute);
}

/** Reads a trigger without its job and calendar; null if this node cannot read it. */
export function readPlainTrigger(row: TriggerRow, node: SqlNode): Trigger | null {
  try {
    return toTrigger(row, node);
  } catch (error) {
    node.unreadable.noteTrigger(metTrigger(row), error);
    return null;
  }
}

/** Reads a trigger for display. If its row is unreadable, returns the readable fields, and the cause in `unreadable`. */
export function showTrigger(row: TriggerRow, node: SqlNode): StoredTrigger {
  try {
    return { trigger: toTrigger(row, node), state: toState(row) };
  } catch (error) {
    node.unreadable.noteTrigger(metTrigger(row), error);
    const trigger = { ...withoutData(row, node), unreadable: toError(error).message };
    return { trigger, state: stateOf(row) };
  }
}

/** Reads a job for display. If its data is unreadable, returns the job without data, and the cause in `unreadable`. */
export function showJob(row: JobRow, node: SqlNode): JobDetail {
  try {
    return readJob(row, node);
  } catch (error) {
    const { JOB_CLASS_NAME: jobType, DETAIL_DESCRIPTION: description } = row;
    const { message: unreadable } = toError(error);
    return { key: jobKeyOf(row), jobType, description, data: NO_DATA, ...toJobFlags(row), unreadable };
  }
}

/** Reads a calendar; null if this node cannot read it. */
export function readPlainCalendar(name: string, bytes: Uint8Array, node: SqlNode): StoredCalendar | null {
  try {
    return readCalendarOf(name, bytes, node);
  } catch {
    return null; // already reported
  }
}

/** Reads a job; null if this node cannot read it. */
export function readPlainJob(row: JobRow, node: SqlNode): JobDetail | null {
  try {
    return readJob(row, node);
  } catch {
    return null; // already reported
  }
}

function readJob(row: JobRow, node: SqlNode): JobDetail {
  const target = { what: 'job', group: row.JOB_GROUP, name: row.JOB_NAME } as const;
  const read = () => toJobDetail(row);
  return node.unreadable.read(target, () => fingerprintOf(row.DETAIL_DATA), read);
}

function readCalendar(row: TriggerRow, node: SqlNode): StoredCalendar | null {
  const { CALENDAR_NAME: name, CALENDAR } = row;
  return name === null || CALENDAR === null ? toCalendar(row, node) : readCalendarOf(name, CALENDAR, node);
}

function readCalendarOf(name: string, bytes: Uint8Array, node: SqlNode): StoredCalendar {
  const read = () => decodeCalendar(bytes, name, node.timeZone, node.policy.rules);
  return node.unreadable.read({ what: 'calendar', group: null, name }, () => fingerprintOf(bytes), read);
}

function metTrigger(row: TriggerRow): MetTrigger {
  return {
    key: triggerKeyOf(row),
    nextFireTime: row.NEXT_FIRE_TIME,
    fingerprint: () => fingerprintOfTrigger(row),
    uses: () => usedBy(row),
  };
}

function usedBy({ JOB_GROUP, JOB_NAME, CALENDAR_NAME }: TriggerRow): readonly RowTarget[] {
  const job = { what: 'job', group: JOB_GROUP, name: JOB_NAME } as const;
  return CALENDAR_NAME === null ? [job] : [job, { what: 'calendar', group: null, name: CALENDAR_NAME }];
}

/** Fingerprint of all columns that reading and computing depend on. Leaves out states, HAS_FOLLOWERS and FIRST_DUE_TIME. */
function fingerprintOfTrigger({
  TRIGGER_STATE,
  JOB_EXECUTING,
  HAS_FOLLOWERS,
  FIRST_DUE_TIME,
  ...row
}: TriggerRow): string {
  const { JOB_DATA, DETAIL_DATA, CALENDAR, ...columns } = row;
  const parts = [JSON.stringify(columns), JOB_DATA, DETAIL_DATA, CALENDAR];
  return parts.map((part) => fingerprintOf(part)).join();
}

/** Returns a fingerprint of the content. Computing it is much faster than reading the row: 64 kB take 0.05 ms. */
function fingerprintOf(content: string | Uint8Array | null): string {
  return content === null ? '' : createHash('sha1').update(content).digest('base64');
}

/** Returns an unreadable trigger without its data. If its schedule is unreadable too, returns it as a trigger that fires once. */
function withoutData(row: TriggerRow, node: SqlNode): Trigger {
  try {
    return toTrigger({ ...row, JOB_DATA: null }, node);
  } catch {
    return withoutSchedule(row);
  }
}

function withoutSchedule(row: TriggerRow): SimpleTrigger {
  const timeOf = (column: number | null) => (column !== null && isTime(column) ? toTime(column) : null);
  return {
    kind: 'SIMPLE',
    key: triggerKeyOf(row),
    jobKey: jobKeyOf(row),
    description: row.DESCRIPTION,
    data: NO_DATA,
    priority: row.PRIORITY ?? DEFAULT_PRIORITY,
    startTime: timeOf(row.START_TIME) ?? 0,
    endTime: null,
    calendarName: row.CALENDAR_NAME,
    nextFireTime: timeOf(row.NEXT_FIRE_TIME),
    previousFireTime: timeOf(row.PREV_FIRE_TIME),
    repeatCount: 0,
    repeatInterval: 0,
    timesTriggered: 0,
    misfireInstruction: 'SMART_POLICY',
  };
}

/** Returns the state of a trigger; ERROR if the stored state is unknown. */
function stateOf(row: TriggerRow): TriggerState {
  try {
    return toState(row);
  } catch {
    return 'ERROR';
  }
}

/** A trigger with its kind, job and calendar, as returned by statements that read full triggers. */
export interface TriggerRecord {
  /**
   * All columns of a `TriggerRow` except the binary columns, in the order of `Columns`, as one JSON array. The driver generates code for every
   * column. Each new process must compile this code, and executes it for every row. With separate columns, several nodes on one machine needed
   * 10 % to 17 % more time per firing.
   */
  readonly TRIGGER_ROW: string;
  readonly JOB_DATA: Uint8Array | null;
  readonly DETAIL_DATA: Uint8Array | null;
  readonly CALENDAR: Uint8Array | null;
}

type Columns = readonly [
  triggerName: string,
  triggerGroup: string,
  jobName: string,
  jobGroup: string,
  description: string | null,
  nextFireTime: number | null,
  previousFireTime: number | null,
  priority: number | null,
  triggerState: string,
  triggerType: string,
  startTime: number,
  endTime: number | null,
  calendarName: string | null,
  misfireInstruction: number | null,
  detailDescription: string | null,
  jobClassName: string,
  jobFlags: string,
  kindRow: TriggerRow['KIND_ROW'],
  jobExecuting: number,
  hasFollowers: number,
  firstDueTime: number | null,
];

/** Returns the columns by name. All of them are null if the trigger does not exist. */
export function toTriggerRow({ TRIGGER_ROW, JOB_DATA, DETAIL_DATA, CALENDAR }: TriggerRecord): TriggerRow {
  // Columns are read by index: destructuring an array uses its iterator, which is slow until it is compiled.
  const columns = JSON.parse(TRIGGER_ROW) as Columns;
  return {
    TRIGGER_NAME: columns[0],
    TRIGGER_GROUP: columns[1],
    JOB_NAME: columns[2],
    JOB_GROUP: columns[3],
    DESCRIPTION: columns[4],
    NEXT_FIRE_TIME: columns[5],
    PREV_FIRE_TIME: columns[6],
    PRIORITY: columns[7],
    TRIGGER_STATE: columns[8],
    TRIGGER_TYPE: columns[9],
    START_TIME: columns[10],
    END_TIME: columns[11],
    CALENDAR_NAME: columns[12],
    MISFIRE_INSTR: columns[13],
    DETAIL_DESCRIPTION: columns[14],
    JOB_CLASS_NAME: columns[15],
    JOB_FLAGS: columns[16],
    KIND_ROW: columns[17],
    JOB_EXECUTING: columns[18],
    HAS_FOLLOWERS: columns[19],
    FIRST_DUE_TIME: columns[20],
    JOB_DATA,
    DETAIL_DATA,
    CALENDAR,
  };
}
