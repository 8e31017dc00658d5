import { NO_DATA } from '../../../domain/job-data';
import type { JobDetail } from '../../../domain/job-detail';
import { DEFAULT_PRIORITY, type SimpleTrigger, type Trigger } from '../../../domain/trigger';
import type { TriggerState } from '../../../domain/trigger-state';
import type { StoredTrigger } from '../../job-store';
import {
  isTime,
  type JobRow,
  jobKeyOf,
  type TriggerRow,
  toJobFlags,
  toState,
  toTime,
  toTrigger,
  triggerKeyOf,
} from './rows';
import type { SqlNode } from './sql-node';

/*
 * What is shown of rows that this node cannot read: everything around what it cannot. They are there, so they are found and
 * listed; `unreadable` says that they are not whole.
 */

export function opaqueJob(row: JobRow, unreadable: string): JobDetail {
  const { JOB_CLASS_NAME: jobType, DETAIL_DESCRIPTION: description } = row;
  return { key: jobKeyOf(row), jobType, description, data: NO_DATA, ...toJobFlags(row), unreadable };
}

/** With its schedule, if only the data is at fault; otherwise it looks like a trigger that fires once. */
export function opaqueTrigger(row: TriggerRow, node: SqlNode, unreadable: string): StoredTrigger {
  return { trigger: { ...withoutData(row, node), unreadable }, state: stateOf(row) };
}

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

/** One that nobody knows is an error. */
function stateOf(row: TriggerRow): TriggerState {
  try {
    return toState(row);
  } catch {
    return 'ERROR';
  }
}
