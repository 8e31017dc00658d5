import type { EpochMs } from '../base/clock';
import { readJson } from '../base/read-json';
import type { ExecutionPolicy } from './execution-policy';
import type { Interruption } from './interruption';
import type { JobData, JsonValue } from './job-data';
import type { JobDetail } from './job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from './keys';
import type { Occurrence, Shard } from './occurrence';
import type { Trigger } from './trigger';

export const RUN_OUTCOMES = [
  'succeeded',
  'failed',
  'timedOut',
  'interrupted',
  'handedOver',
  'skipped',
  'vetoed',
  'lost',
  'misfired',
] as const;

/**
 * Outcome of a run. `interrupted`: failed after an interrupt. `handedOver`: cut short by the shutdown of its node, and repeated as the same attempt. `lost`: the node died. `misfired`: the fire time was missed and not caught up.
 * `skipped`: the job did not run (for example because it was late), or reported that there was nothing to do. `vetoed`: a trigger listener prevented
 * the run.
 */
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Details of a run that are stored in addition to its searchable fields. */
export interface RunDetail {
  /** True if this is the last run of a failed occurrence, no dead letter, and not rerun. Always the first member (see `RERUNNABLE`). */
  readonly canRerun?: boolean;
  /** Stack trace of the job's error, including causes, at most 16 kB. */
  readonly stack?: string;
  readonly summary?: string;
  readonly metrics?: Readonly<Record<string, number>>;
  /** Lines that the job logged, at most 64 kB. The oldest lines are dropped first. */
  readonly lines?: readonly RunLine[];
  /** Return value of the job. Absent if the job returned none, or if the value was too long or not JSON. */
  readonly result?: JsonValue;
  /** Reason why the return value was not stored; absent if it was stored or if there was none. */
  readonly resultOmitted?: string;
  /** Number of log lines that were dropped; absent: none. */
  readonly droppedLines?: number;
  /** First request to interrupt the run; absent: none. */
  readonly interruption?: Interruption;
  /** Part of the occurrence (shard) that the run executed; absent: the whole occurrence. */
  readonly shard?: Shard;
  /** Trigger data for a rerun. Present only in the last run of a failed occurrence. */
  readonly triggerData?: JobData;
  /** Priority of the trigger, for a rerun. */
  readonly priority?: number;
  /** Policy of the trigger, for a rerun; absent: none. */
  readonly policy?: ExecutionPolicy;
  /** The job without its key, for a rerun. Present if the job is not durable, because it may be deleted before the rerun. */
  readonly job?: Omit<JobDetail, 'key'>;
}

export interface RunLine {
  readonly at: EpochMs;
  /** Level at which the job logged the line. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Message of the line. */
  readonly message: string;
  /** Data logged with the message, or null if there is none. */
  readonly data: JsonValue;
}

/** Identity of a run: its id, trigger and job. */
export interface RunName {
  /** Id of the run, as in `context.runId`. Pass it to `getRun`, `rerun`, `discard` or `setRetries`. */
  readonly runId: string;
  /** Trigger of the occurrence, the same for the first run and its retries. The trigger may have been deleted since. */
  readonly triggerKey: TriggerKey;
  /** Job that ran. The job may have been deleted since. */
  readonly jobKey: JobKey;
}

export interface RunRecord extends RunName {
  /** Job type, which identifies the code that ran. */
  readonly jobType: string;
  /** Instance id of the node that ran the job. */
  readonly instanceId: string;
  /** Id of the occurrence (`context.occurrenceId`), which all runs of the occurrence share, including the runs of its shards. */
  readonly occurrenceId: string;
  readonly scheduledTime: EpochMs;
  readonly fireTime: EpochMs;
  readonly endTime: EpochMs;
  /** Number of the attempt within the occurrence, counted from 1. A recovery has the same number as the run that was lost with its node. */
  readonly attempt: number;
  /** Outcome of the run, as `RunOutcome` explains. */
  readonly outcome: RunOutcome;
  /** True if the retries of the occurrence are exhausted, and this run was neither rerun nor discarded. */
  readonly isDeadLetter: boolean;
  /** Error message, at most 1,000 characters. Null if there is no error. */
  readonly error: string | null;
  /** A `RunDetail` as JSON; null: none. Not parsed in advance, because most records are written but never read. */
  readonly detail: string | null;
}

/** Number of characters of a detail that are read for a list of runs. Short members are stored first, so that they are complete. */
export const BRIEF_LENGTH = 8_192;

/** Returns valid JSON from the first `BRIEF_LENGTH` characters of a detail. Drops members that may be incomplete. Null if no member is complete. */
export function briefDetail(detail: string | null): string | null {
  if (detail === null || detail.length < BRIEF_LENGTH) return detail;
  for (const { index } of detail.matchAll(/,"(?:metrics|lines|stack|result)":/g)) {
    const whole = `${detail.slice(0, index)}}`;
    if (readJson(whole) !== undefined) return whole;
  }
  return null;
}

/** Returns the part of the occurrence (shard), as stored in a run's detail. Empty if the run executed the whole occurrence. */
export function detailOfPart({ shard }: Pick<Occurrence, 'shard'>): Pick<RunDetail, 'shard'> {
  if (shard === undefined) return {};
  const { index, count, param } = shard;
  return { shard: { index, count, param } };
}

/** A position in the list of runs, which is sorted newest first. */
export interface RunCursor {
  readonly endTime: EpochMs;
  readonly runId: string;
}

/** Filter and page of a list of runs, newest first. A run must match all conditions. */
export interface RunQuery {
  /** Only runs with these ids. Ids of deleted runs are ignored. */
  readonly runIds?: readonly string[];
  /** A list of dead letters also contains enqueued jobs of the type with this name, see `enqueuedTypeOf`. */
  readonly jobKey?: JobKey;
  readonly jobGroup?: GroupMatcher;
  readonly jobType?: string;
  readonly triggerKey?: TriggerKey;
  /** Only runs of this occurrence. Adding `triggerKey` reduces the number of rows to read. */
  readonly occurrenceId?: string;
  readonly outcomes?: readonly RunOutcome[];
  readonly instanceId?: string;
  /** Only runs that ended at or after this time. */
  readonly since?: EpochMs;
  /** Only runs that ended before this time. */
  readonly until?: EpochMs;
  /** Substring of the job key, the trigger key (`group/name`) or the error. Case-insensitive. */
  readonly search?: string;
  readonly deadLetters?: boolean;
  /** Only runs after this position in the list. */
  readonly after?: RunCursor;
  /** Default: all members. `brief`: only the members that `briefDetail` returns. `none`: the store may return null. */
  readonly detail?: 'brief' | 'none';
  readonly take: number;
}

export interface RunPage {
  readonly items: readonly RunRecord[];
  /** Position after which the next page begins; null if there are no more runs. */
  readonly next: RunCursor | null;
}

/** Minimum number of rows that a deletion removes before it may stop early. If it removes fewer, and fewer than requested, none are left. */
export const MIN_PRUNED = 200;

export interface RunRetention {
  /** Only runs that ended before this time. */
  readonly before: EpochMs;
  /** Only runs with these outcomes; absent: any outcome. */
  readonly outcomes?: readonly RunOutcome[];
  /** True: only dead letters. Absent or false: only other runs. */
  readonly deadLetters?: boolean;
  /** Maximum number of runs to delete per transaction. */
  readonly maxCount: number;
  /** Time after which a transaction stops deleting, in milliseconds, because a firing may wait for the only writer. Absent: no limit. */
  readonly maxMs?: number;
}

/** Text in `error` of a misfired run whose fire time a change of the schedule dropped. */
export const SCHEDULE_CHANGED = 'schedule changed';

/** Returns the history record of a missed fire time that a misfired trigger skips. `error`: reason, or null for its misfire instruction. */
export function misfiredRun(
  runId: string,
  { trigger, jobDetail }: { readonly trigger: Trigger; readonly jobDetail: JobDetail },
  { instanceId, now, error = null }: MisfireRecording,
): RunRecord {
  return {
    runId,
    triggerKey: trigger.key,
    jobKey: jobDetail.key,
    jobType: jobDetail.jobType,
    instanceId,
    occurrenceId: runId,
    scheduledTime: trigger.nextFireTime ?? now,
    fireTime: now,
    endTime: now,
    attempt: 1,
    outcome: 'misfired',
    isDeadLetter: false,
    error,
    detail: null,
  };
}

interface MisfireRecording {
  readonly instanceId: string;
  readonly now: EpochMs;
  readonly error?: string | null;
}
