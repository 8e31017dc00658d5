import type { Interruption } from '../domain/interruption';
import type { JsonValue } from '../domain/job-data';
import type { GroupMatcher, JobKeyLike, TriggerKeyLike } from '../domain/keys';
import type { Shard } from '../domain/occurrence';
import type { RunCursor, RunOutcome, RunRecord, RunLine as StoredLine } from '../domain/run';
import { detailOf, isRerunnable } from '../domain/run-detail';
import type { Percentiles } from '../domain/run-statistics';
import type { SpreadOccurrence } from '../domain/spread-occurrence';

/** One line that a job logged with `context.log`. */
export interface RunLine extends Omit<StoredLine, 'at'> {
  /** Time at which the job logged the line. */
  readonly at: Date;
}

/** Progress of a job. */
export interface JobProgress {
  /** Fraction of the work that is done, from 0 to 1. */
  readonly fraction: number;
  /** Description of the current step, or null if none was given. */
  readonly message: string | null;
  /** Time of the report, by the clock of the node that runs the job. */
  readonly at: Date;
}

/** One execution of a job that has ended. An occurrence (one firing of a trigger) has one run, plus one for each retry, recovery and rerun. */
export interface Run extends Omit<RunRecord, 'scheduledTime' | 'fireTime' | 'endTime' | 'detail'> {
  /** Scheduled fire time of the occurrence. A retry has the same time as the first run. */
  readonly scheduledFireTime: Date;
  /** Actual fire time of this run. */
  readonly fireTime: Date;
  /** Time at which the run ended. */
  readonly endTime: Date;
  /** True if `rerun` accepts this run: the last of a failed occurrence, not yet rerun. False for a run that was lost with its node. */
  readonly canRerun: boolean;
  /** Stack of the error and its causes, at most 16 kB. Null if there is none. */
  readonly stack: string | null;
  /** Shard of the occurrence that this run executed, with its parameter. Null if the occurrence was not split. */
  readonly shard: Shard | null;
  /** Summary that the job reported, or null if there is none. */
  readonly summary: string | null;
  /** Metrics that the job reported, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Return value of the job, as JSON. Null if the job returned nothing or only a report (see `JobResult`), or if the value was not stored. */
  readonly result: JsonValue;
  /** Reason why the return value was not stored: it cannot be written as JSON, or exceeds 16 kB. Null if the value was stored. */
  readonly resultOmitted: string | null;
  /** Lines that the job logged, oldest first. Only the newest 64 kB are stored. */
  readonly lines: readonly RunLine[];
  /** Number of older lines that were dropped. */
  readonly droppedLines: number;
  /** First request to interrupt the run, or null if there was none. */
  readonly interruption: RequestedInterruption | null;
}

/** Request to interrupt a run. */
export interface RequestedInterruption {
  /** Time of the request, by the clock of the node that ran the job. */
  readonly at: Date;
  /** Name of the user who asked. Null if the caller of `interrupt` gave none. */
  readonly by: string | null;
}

export function toInterruption(interruption: Interruption | null): RequestedInterruption | null {
  return interruption && { at: new Date(interruption.at), by: interruption.by };
}

/** Filter of a list of runs. A run must match all conditions that are set. */
export interface RunListOptions {
  /**
   * Only runs of this job. Dead letters, also those that `rerun` and `discard` select, are found by the name of their job type too if `enqueue` has
   * given their job its name: `rerun({ job: 'pay' })` after `enqueue('pay')`.
   */
  readonly job?: JobKeyLike;
  /** Only runs of jobs in these groups. */
  readonly jobGroup?: GroupMatcher;
  /** Only runs of jobs of this type. */
  readonly jobType?: string;
  /** Only runs of this trigger's occurrences, including retries. */
  readonly trigger?: TriggerKeyLike;
  /** Only runs of this occurrence (`occurrenceId`). Also set `trigger`, because the store has no index of occurrence ids. */
  readonly occurrence?: string;
  /** Only runs with this outcome, or with one of several outcomes. */
  readonly outcome?: RunOutcome | readonly RunOutcome[];
  /** Only runs on the node with this instance id. */
  readonly node?: string;
  /** Only runs that ended at this time or later. */
  readonly since?: Date;
  /** Only runs that ended before this time. */
  readonly until?: Date;
  /** Only runs whose job key, trigger key (`group/name`) or error contains this text. Case-insensitive. */
  readonly search?: string;
  /** True: only dead letters. False (default): all runs. */
  readonly deadLetters?: boolean;
  /** `next` of the previous page. Default: the first page. */
  readonly after?: string;
  /** Maximum number of runs to return: a whole number from 1 to 1,000 (default 100). For changes: maximum number of runs to change (default: all). */
  readonly limit?: number;
}

/** Page of runs, newest end time first. */
export interface RunList {
  /**
   * Runs on this page. May be fewer than `limit`, or even none, although `next` is not null. In a database, a page ends after 5,000 examined runs, or
   * after 2,500 if the runs are looked up in an index. This limit applies if `node`, `occurrence`, `jobGroup`, `jobType` or `search` is set. It also applies to
   * `job` combined with `trigger`, and to `deadLetters` combined with `job` or `trigger`.
   */
  readonly items: readonly Run[];
  /** Value to pass as `after` to get the next page. Null if this is the last page. */
  readonly next: string | null;
}

/** Statistics of a job, based on its newest recorded runs. Runs that are not recorded (see `withHistory`) do not count. */
export interface JobStatus {
  /** Newest recorded run, or null if there is none. */
  readonly lastRun: Run | null;
  /** Newest successful recorded run, however old. Null if there is none. */
  readonly lastSuccess: Run | null;
  /**
   * Number of consecutive failures since the last success: runs that failed, timed out, were interrupted or lost. Skipped, vetoed and misfired runs
   * are ignored.
   */
  readonly failuresInARow: number;
  /** Number of examined runs, at most 200. */
  readonly runs: number;
  /** Durations of the examined runs whose job ran to its end, in milliseconds. */
  readonly durationMs: Percentiles;
  /** Lateness of the examined first attempts: actual minus scheduled fire time, in milliseconds. */
  readonly latenessMs: Percentiles;
  /** Earliest next fire time of the job's triggers that are neither paused nor in the ERROR state. Null if there is none. */
  readonly nextFireTime: Date | null;
}

/** Occurrence that was split into shards, at least one of which has not ended. */
export interface OngoingOccurrence extends Omit<SpreadOccurrence, 'id' | 'scheduledTime' | 'startTime'> {
  /** Id of the occurrence, as in its runs. */
  readonly occurrenceId: string;
  /** Scheduled fire time of the occurrence. */
  readonly scheduledFireTime: Date;
  /** Time at which the occurrence was split into shards. */
  readonly startTime: Date;
}

/** Converts a stored occurrence to its public form. */
export function toOngoing({ id, scheduledTime, startTime, ...occurrence }: SpreadOccurrence): OngoingOccurrence {
  return {
    ...occurrence,
    occurrenceId: id,
    scheduledFireTime: new Date(scheduledTime),
    startTime: new Date(startTime),
  };
}

/** Encodes a position in the list of runs, as the `next` of a page. */
export function runCursorText({ endTime, runId }: RunCursor): string {
  return `${endTime.toString(36)}-${runId}`;
}

/** Parses the `next` of a page. Returns null if the string is invalid. */
export function parseRunCursor(text: string): RunCursor | null {
  const [, end = '', runId = ''] = /^([0-9a-z]{1,11})-(.{0,190})$/s.exec(text) ?? [];
  const endTime = Number.parseInt(end, 36);
  return end !== '' && Number.isSafeInteger(endTime) ? { endTime, runId } : null; // An empty run id sorts before all runs that ended at `endTime`.
}

/** Converts a stored run to its public form. */
export function toRun(record: RunRecord): Run {
  const { stack = null, shard = null, summary = null, ...detail } = detailOf(record);
  const {
    metrics = {},
    lines = [],
    droppedLines = 0,
    result = null,
    resultOmitted = null,
    interruption = null,
  } = detail;
  // Copies each field explicitly, because a rest pattern is slow and a page may contain a thousand runs.
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
    interruption: toInterruption(interruption),
    result,
    resultOmitted,
  };
}

/** Converts a stored line to its public form. */
export function toRunLine(line: StoredLine): RunLine {
  return { ...line, at: new Date(line.at) };
}
