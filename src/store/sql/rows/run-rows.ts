import type { RunCursor, RunOutcome, RunRecord } from '../../../domain/run';
import { type ListedValue, optional } from '../runtime/row-batches';
import { jobKeyOf, keyList, type TriggerRow, triggerKeyOf } from './rows';
import { toBoolean, toFlag } from './trigger-kinds';

export interface RunRow
  extends Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'JOB_NAME' | 'JOB_GROUP' | 'JOB_CLASS_NAME'> {
  readonly ENDED_TIME: number;
  readonly RUN_ID: string;
  readonly INSTANCE_NAME: string;
  readonly OCCURRENCE_ID: string;
  readonly SCHED_TIME: number;
  readonly FIRED_TIME: number;
  readonly ATTEMPT: number;
  readonly OUTCOME: string;
  readonly IS_DEAD_LETTER: string;
  readonly ERROR_MESSAGE: string | null;
  readonly DETAIL: string | null;
}

/** Maximum length of ERROR_MESSAGE, in characters. */
const MAX_ERROR = 1_000;

/** Returns the columns of a run in the order of insertRuns. */
export function runColumns(run: RunRecord): readonly ListedValue[] {
  return [
    run.endTime,
    run.runId,
    ...keyList(run.triggerKey),
    ...keyList(run.jobKey),
    run.jobType,
    run.instanceId,
    run.occurrenceId,
    run.scheduledTime,
    run.fireTime,
    run.attempt,
    run.outcome,
    toFlag(run.isDeadLetter),
    optional(run.error === null ? null : storable(run.error)),
    optional(run.detail),
  ];
}

/** Returns the key columns of a run, in the sort order of run lists. */
export function runKeyList({ endTime, runId }: RunCursor): readonly ListedValue[] {
  return [endTime, runId];
}

/** Makes any string that a job throws storable. Truncates it, and replaces unpaired surrogates and NUL, which ends a string in SQLite. */
function storable(error: string): string {
  return Buffer.from(error.slice(0, MAX_ERROR)).toString().replaceAll('\0', '\ufffd');
}

export function toRun(row: RunRow): RunRecord {
  return {
    runId: row.RUN_ID,
    triggerKey: triggerKeyOf(row),
    jobKey: jobKeyOf(row),
    jobType: row.JOB_CLASS_NAME,
    instanceId: row.INSTANCE_NAME,
    occurrenceId: row.OCCURRENCE_ID,
    scheduledTime: row.SCHED_TIME,
    fireTime: row.FIRED_TIME,
    endTime: row.ENDED_TIME,
    attempt: row.ATTEMPT,
    outcome: row.OUTCOME as RunOutcome,
    isDeadLetter: toBoolean(row.IS_DEAD_LETTER),
    error: row.ERROR_MESSAGE,
    detail: row.DETAIL,
  };
}
