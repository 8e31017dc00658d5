import type { JsonValue } from '../domain/job-data';
import type { GroupMatcher, JobKey, JobKeyLike, TriggerKey, TriggerKeyLike } from '../domain/keys';
import type { Shard } from '../domain/occurrence';
import type { RunCursor, RunOutcome, RunRecord, RunLine as StoredLine } from '../domain/run';
import { detailOf, isRerunnable } from '../domain/run-detail';
import type { Percentiles } from '../domain/run-statistics';
import type { SpreadOccurrence } from '../domain/spread-occurrence';

/** One line that a job logged with `context.log`. */
export interface RunLine {
  /** Time of the line. */
  readonly at: Date;
  /** Level with which the job logged it. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Message that the job logged. */
  readonly message: string;
  /** Data logged with the message. Null if there is none. */
  readonly data: JsonValue;
}

/** Progress of a job. */
export interface JobProgress {
  /** Fraction, from 0 to 1. */
  readonly fraction: number;
  /** Description of the current step; null if none was given. */
  readonly message: string | null;
  /** Time of the report, by the clock of its node. */
  readonly at: Date;
}

/**
 * One execution of a job, after it has ended. An occurrence (one firing of a trigger) has one run, and a further run for each retry,
 * recovery and rerun.
 */
export interface Run {
  /** Id of the run, as in `context.runId`. Used by `getRun`, `rerun`, `discard` and `setRetries`. */
  readonly runId: string;
  /** Trigger of the occurrence. For a retry, the trigger that fired first. It may have been deleted. */
  readonly triggerKey: TriggerKey;
  /** Job that ran. It may have been deleted. */
  readonly jobKey: JobKey;
  /** Job type: the code that ran. */
  readonly jobType: string;
  /** Node that ran the job. */
  readonly instanceId: string;
  /** Id of the occurrence (`context.occurrenceId`), which its attempts and parts share. */
  readonly occurrenceId: string;
  /** Scheduled fire time of the occurrence. A retry has the time of its first run. */
  readonly scheduledFireTime: Date;
  /** Time at which this run was fired. */
  readonly fireTime: Date;
  /** Time at which the run ended. */
  readonly endTime: Date;
  /** Number of this run within its occurrence, counted from 1. A run that was lost with its node is rerun as the same attempt. */
  readonly attempt: number;
  /**
   * Outcome of the run. `interrupted`: it failed after an interrupt. `lost`: its node was lost. `misfired`: the fire time was missed and not
   * caught up. `skipped`: the job did not run (for example because it was late), or reported that there was nothing to do. `vetoed`: a
   * trigger listener prevented the run.
   */
  readonly outcome: RunOutcome;
  /** True if its retries are exhausted and it was neither rerun nor discarded. */
  readonly isDeadLetter: boolean;
  /** True if `rerun` accepts it: it is the last run of a failed occurrence, and was not rerun. False for a run that was lost with its node. */
  readonly canRerun: boolean;
  /** Error message, at most 1,000 characters. Null if there is none. */
  readonly error: string | null;
  /** Stack of the error, including its causes, at most 16 kB. Null if there is none. */
  readonly stack: string | null;
  /** Part of the occurrence that this run executed, with its parameter. Null: the whole occurrence. */
  readonly shard: Shard | null;
  /** Summary that the job reported. Null if there is none. */
  readonly summary: string | null;
  /** Metrics that the job reported, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Return value of the job, as JSON. Null if there is none, if it was only a report (see `JobResult`), or if it was not kept. */
  readonly result: JsonValue;
  /** Reason why the return value was not kept: it is not JSON, or longer than 16 kB. Null if it was kept. */
  readonly resultOmitted: string | null;
  /** Lines that the job logged, oldest first. Only the newest 64 kB are kept. */
  readonly lines: readonly RunLine[];
  /** Number of older lines that were not kept. */
  readonly droppedLines: number;
}

/** Filter of a list of runs. A run must match all given conditions. */
export interface RunListOptions {
  /** Only runs of this job. */
  readonly job?: JobKeyLike;
  /** Only runs of jobs in these groups. */
  readonly jobGroup?: GroupMatcher;
  /** Only runs of occurrences of this trigger, including their retries. */
  readonly trigger?: TriggerKeyLike;
  /** Only runs of this occurrence (`occurrenceId` of a run). Also set its `trigger`, because only the trigger has an index. */
  readonly occurrence?: string;
  /** Only runs with this outcome, or with one of these outcomes. */
  readonly outcome?: RunOutcome | readonly RunOutcome[];
  /** Only runs on the node with this instance id. */
  readonly node?: string;
  /** Only runs that ended at this time or later. */
  readonly since?: Date;
  /** Only runs that ended before this time. */
  readonly until?: Date;
  /** Only runs with this text in the key of the job or trigger (`group/name`), or in the error. Case-insensitive. */
  readonly search?: string;
  /** Only dead letters (true), or all (false, the default). */
  readonly deadLetters?: boolean;
  /** Only runs after the previous page: its `next`. */
  readonly after?: string;
  /** Maximum number of runs to return, or to change: a whole number from 1 to 1,000 (default 100; for changes: all). */
  readonly limit?: number;
}

/** A page of runs, ordered by end time, newest first. */
export interface RunList {
  /**
   * Runs of this page. There may be fewer than `limit`, or none, although there is a `next`: a page ends early if it would take too long. In
   * a database this happens after 50,000 examined runs, and only if `node`, `jobGroup` or `search` is the only filter.
   */
  readonly items: readonly Run[];
  /** Pass as `after` to get the next page; null if this is the last page. */
  readonly next: string | null;
}

/** Condition of a job, based on its newest recorded runs. Runs that are not recorded (see `withHistory`) do not count. */
export interface JobStatus {
  /** Newest recorded run. Null if there is none. */
  readonly lastRun: Run | null;
  /** Newest successful run, however old. Null if there is none. */
  readonly lastSuccess: Run | null;
  /**
   * Number of runs that failed, timed out, were interrupted or were lost since the last success. Skipped, vetoed and misfired runs neither
   * count nor end the series.
   */
  readonly failuresInARow: number;
  /** Number of examined runs: the newest ones, at most 200. */
  readonly runs: number;
  /** Durations of the examined runs that executed until they ended, in milliseconds. */
  readonly durationMs: Percentiles;
  /** Lateness of the first attempts: actual minus scheduled fire time, in milliseconds. */
  readonly latenessMs: Percentiles;
  /** Next fire time among its triggers that are neither paused nor in error. Null if there is none. */
  readonly nextFireTime: Date | null;
}

/** An occurrence that runs in parts, until its last part has ended. */
export interface OngoingOccurrence {
  /** Id of the occurrence, as its runs have it. */
  readonly occurrenceId: string;
  /** The trigger of the occurrence. It may have been deleted. */
  readonly triggerKey: TriggerKey;
  /** The job that runs the parts. */
  readonly jobKey: JobKey;
  /** Scheduled fire time of the occurrence. */
  readonly scheduledFireTime: Date;
  /** Time at which the occurrence was split into parts. */
  readonly startTime: Date;
  /** Number of parts. */
  readonly parts: number;
  /** Number of parts that are waiting, running, or will be retried. */
  readonly remaining: number;
  /** Number of parts that ended as failed. */
  readonly failed: number;
  /** True for a broadcast, in which each part belongs to one node. */
  readonly isBroadcast: boolean;
}

/** Converts the stored form to the public one. */
export function toOngoing({ id, scheduledTime, startTime, ...occurrence }: SpreadOccurrence): OngoingOccurrence {
  return {
    ...occurrence,
    occurrenceId: id,
    scheduledFireTime: new Date(scheduledTime),
    startTime: new Date(startTime),
  };
}

/** Encodes a position in the list of runs, for `next` of a page. */
export function runCursorText({ endTime, runId }: RunCursor): string {
  return `${endTime.toString(36)}-${runId}`;
}

/** Parses `next` of a page. Returns null for any other text. */
export function parseRunCursor(text: string): RunCursor | null {
  const [, end = '', runId = ''] = /^([0-9a-z]{1,11})-(.{0,190})$/s.exec(text) ?? [];
  const endTime = Number.parseInt(end, 36);
  return end !== '' && Number.isSafeInteger(endTime) ? { endTime, runId } : null; // an empty run id precedes all runs that ended at the time
}

/** Converts the stored form to the public one. */
export function toRun(record: RunRecord): Run {
  const { stack = null, shard = null, summary = null, ...detail } = detailOf(record);
  const { metrics = {}, lines = [], droppedLines = 0, result = null, resultOmitted = null } = detail;
  // Field by field, because a rest pattern is slow, and a page may contain a thousand runs.
  return {
    runId: record.runId,
    triggerKey: record.triggerKey,
    jobKey: record.jobKey,
    jobType: record.jobType,
    instanceId: record.instanceId,
    occurrenceId: record.occurrenceId,
    scheduledFireTime: new Date(record.scheduledTime),
    fireTime: new Date(record.fireTime),
    endTime: new Date(record.endTime),
    attempt: record.attempt,
    outcome: record.outcome,
    isDeadLetter: record.isDeadLetter,
    canRerun: isRerunnable(record),
    error: record.error,
    stack,
    shard,
    summary,
    metrics,
    lines: lines.map(toRunLine),
    droppedLines,
    result,
    resultOmitted,
  };
}

/** Converts one line to the public form. */
export function toRunLine(line: StoredLine): RunLine {
  return { ...line, at: new Date(line.at) };
}
