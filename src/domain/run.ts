import type { EpochMs } from '../base/clock';
import type { ExecutionPolicy } from './execution-policy';
import type { JobData, JsonValue } from './job-data';
import type { JobDetail } from './job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from './keys';
import type { Occurrence, Shard } from './occurrence';
import type { Trigger } from './trigger';

/**
 * Outcome of a run. `lost`: it ended with its node. `misfired`: its fire time was missed and not caught up. `skipped`: its job did not run,
 * or reported that there was nothing to do. `interrupted`: it failed after it was requested to stop.
 */
export type RunOutcome =
  | 'succeeded'
  | 'failed'
  | 'timedOut'
  | 'interrupted'
  | 'skipped'
  | 'vetoed'
  | 'lost'
  | 'misfired';

export const RUN_OUTCOMES: readonly RunOutcome[] = [
  'succeeded',
  'failed',
  'timedOut',
  'interrupted',
  'skipped',
  'vetoed',
  'lost',
  'misfired',
];

/** Stored details of one run, in addition to its searchable fields. */
export interface RunDetail {
  /** True for the last run of a failed occurrence that is no dead letter and has not been rerun. It is the first member; see `RERUNNABLE`. */
  readonly canRerun?: boolean;
  /** Stack of the job's error, including causes; at most 16 kB. */
  readonly stack?: string;
  /** Summary that the job gave. */
  readonly summary?: string;
  /** Metrics that the job reported. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Lines that the job logged, at most 64 kB; the oldest lines are dropped first. */
  readonly lines?: readonly RunLine[];
  /** Return value of the job; absent if there was none, or if it was too long or not JSON. */
  readonly result?: JsonValue;
  /** Reason why the result was not kept; absent if it was. */
  readonly resultOmitted?: string;
  /** Number of older lines that were dropped; absent: none. */
  readonly droppedLines?: number;
  /** Part of the occurrence that the run executed. */
  readonly shard?: Shard;
  /** Trigger data of the last run of a failed occurrence, for a rerun. */
  readonly triggerData?: JobData;
  /** Priority of its trigger, for a rerun. */
  readonly priority?: number;
  /** Policy of its trigger, for a rerun; absent: none. */
  readonly policy?: ExecutionPolicy;
  /** The job without its key, for a rerun. Present if the job is not durable, because it may have been deleted by then. */
  readonly job?: Omit<JobDetail, 'key'>;
}

/** One line that a job logged. */
export interface RunLine {
  readonly at: EpochMs;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Data logged with the message; null: none. */
  readonly data: JsonValue;
}

/** Identity of a run: its id, trigger and job. */
export interface RunName {
  /** Id of the run: the same while it runs and in its record. */
  readonly runId: string;
  /** The trigger whose occurrence it is; for a retry or a recovery, the original trigger. */
  readonly triggerKey: TriggerKey;
  /** The job that ran. */
  readonly jobKey: JobKey;
}

/** One run of an occurrence, after it has ended. */
export interface RunRecord extends RunName {
  readonly jobType: string;
  /** The node that ran it. */
  readonly instanceId: string;
  /** Id of the occurrence. Attempts and parts of one occurrence share it. */
  readonly occurrenceId: string;
  /** Scheduled time of the occurrence. */
  readonly scheduledTime: EpochMs;
  /** Time at which this run was fired. */
  readonly fireTime: EpochMs;
  readonly endTime: EpochMs;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly outcome: RunOutcome;
  /** True if its retries are used up, and it has been neither rerun nor discarded. */
  readonly isDeadLetter: boolean;
  /** Error message, at most 1,000 characters; null: none. */
  readonly error: string | null;
  /** A `RunDetail` as JSON; null: none. It is text, because most runs are written and never read. */
  readonly detail: string | null;
}

/** Number of characters at the start of a detail that contain everything a list shows. Long members are written after them. */
export const BRIEF_LENGTH = 8_192;

/** Parses a detail whose beginning alone was read: its first members, as far as they are complete. */
export function briefDetail(detail: string | null): string | null {
  if (detail === null || detail.length < BRIEF_LENGTH) return detail;
  for (const { index } of detail.matchAll(/,"(?:metrics|lines|stack|result)":/g)) {
    const whole = `${detail.slice(0, index)}}`;
    if (isJson(whole)) return whole;
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the recorded part of a run; empty if it ran the whole occurrence. */
export function detailOfPart({ shard }: Pick<Occurrence, 'shard'>): Pick<RunDetail, 'shard'> {
  if (shard === undefined) return {};
  const { index, count, param } = shard;
  return { shard: { index, count, param } };
}

/** A position in the list of runs, newest first. */
export interface RunCursor {
  readonly endTime: EpochMs;
  readonly runId: string;
}

/** Filter for runs, newest first. All conditions must match. */
export interface RunQuery {
  /** Only runs with these ids; deleted runs are left out. */
  readonly runIds?: readonly string[];
  readonly jobKey?: JobKey;
  readonly jobGroup?: GroupMatcher;
  readonly triggerKey?: TriggerKey;
  /** Only runs of this occurrence. With its trigger, fewer rows are read. */
  readonly occurrenceId?: string;
  readonly outcomes?: readonly RunOutcome[];
  readonly instanceId?: string;
  /** Only runs that ended at or after this time. */
  readonly since?: EpochMs;
  /** Only runs that ended before this time. */
  readonly until?: EpochMs;
  /** Substring of the job's or trigger's key (`group/name`) or of the error. Case-insensitive. */
  readonly search?: string;
  /** True for dead letters only. */
  readonly deadLetters?: boolean;
  /** Only runs after this position in the list. */
  readonly after?: RunCursor;
  /** Required details. Default: all. `brief`: the members that `briefDetail` keeps. `none`: details may all be null. */
  readonly detail?: 'brief' | 'none';
  /** Maximum page size. */
  readonly take: number;
}

export interface RunPage {
  readonly items: readonly RunRecord[];
  /** Start of the next page; null if this is the last one. */
  readonly next: RunCursor | null;
}

/** Minimum batch of a deletion: fewer runs than this, or than requested, are deleted together only if no more are left. */
export const MIN_PRUNED = 200;

/** Filter for runs whose retention has ended. */
export interface RunRetention {
  /** Only runs that ended before this time. */
  readonly before: EpochMs;
  /** Only runs with these outcomes; absent: any. */
  readonly outcomes?: readonly RunOutcome[];
  /** True for dead letters only; otherwise all except dead letters. */
  readonly deadLetters?: boolean;
  /** Maximum number of runs in one transaction. */
  readonly maxCount: number;
  /**
   * Time after which the transaction stops deleting, in milliseconds, because a firing may wait for it where writes exclude each other. Absent: no
   * limit.
   */
  readonly maxMs?: number;
}

/** Returns the record of the fire time that a misfired trigger skips. */
export function misfiredRun(
  runId: string,
  { trigger, jobDetail }: { readonly trigger: Trigger; readonly jobDetail: JobDetail },
  { instanceId, now }: { readonly instanceId: string; readonly now: EpochMs },
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
    error: null,
    detail: null,
  };
}
