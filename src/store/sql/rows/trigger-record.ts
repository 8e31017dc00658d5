import type { TriggerRow } from './rows';

/** A trigger with its kind, its job and its calendar, as the statements give it that read whole triggers. */
export interface TriggerRecord {
  /**
   * All columns of a `TriggerRow` but its bytes, in the order below, as one list in JSON. The driver makes code for every
   * column that every new process has to compile, and calls it for every row: with all of them apart, several nodes on one machine
   * took a tenth to a sixth more of it for a firing.
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
];

/** The columns by name. Of a trigger that is not there, all are null. */
export function toTriggerRow({ TRIGGER_ROW, JOB_DATA, DETAIL_DATA, CALENDAR }: TriggerRecord): TriggerRow {
  // By number: taken apart by a pattern, a list is gone through by its iterator, which is slow until it is compiled.
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
    JOB_DATA,
    DETAIL_DATA,
    CALENDAR,
  };
}
