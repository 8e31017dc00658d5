import type { JsonValue } from '../domain/job-data';
import type { GroupMatcher, JobKey, JobKeyLike, TriggerKey, TriggerKeyLike } from '../domain/keys';
import type { Shard } from '../domain/occurrence';
import type { RunCursor, RunOutcome, RunRecord, RunLine as StoredLine } from '../domain/run';
import { detailOf, isRerunnable } from '../domain/run-detail';
import type { Percentiles } from '../domain/run-statistics';
import type { SpreadOccurrence } from '../domain/spread-occurrence';

/** One line that a job logged with `context.log`. */
export interface RunLine {
  /** When. */
  readonly at: Date;
  /** How important the job found it. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** What the job logged. */
  readonly message: string;
  /** What was logged beside the message; null: nothing. */
  readonly data: JsonValue;
}

/** How far a job is. */
export interface JobProgress {
  /** From 0 to 1. */
  readonly fraction: number;
  /** What it does now; null: it has not said. */
  readonly message: string | null;
  /** When it said so, by the clock of its node. */
  readonly at: Date;
}

/** One execution of a job, after it has ended. An occurrence (one firing of a trigger) has one run, and a further one for each retry, recovery and rerun. */
export interface Run {
  /** Id of the run, as `context.runId` had it: for `getRun`, `rerun`, `discard` and `setRetries`. */
  readonly runId: string;
  /** The trigger whose occurrence it is; of a retry the one that fired first. It may be gone. */
  readonly triggerKey: TriggerKey;
  /** The job that ran. It may be gone. */
  readonly jobKey: JobKey;
  /** Which code ran. */
  readonly jobType: string;
  /** The node that ran it. */
  readonly instanceId: string;
  /** The occurrence that it is a run of (`context.occurrenceId`): its attempts and its parts have the same. */
  readonly occurrenceId: string;
  /** When the occurrence was to fire; a retry has that of its first run. */
  readonly scheduledFireTime: Date;
  /** When this run was fired. */
  readonly fireTime: Date;
  /** When it ended. */
  readonly endTime: Date;
  /** Which run of its occurrence, counted from 1; a run that was lost with its node is run again as the same attempt. */
  readonly attempt: number;
  /**
   * How it ended. `interrupted`: it failed after it was asked to stop. `lost`: with its node. `misfired`: a fire time that passed and was not
   * made up for. `skipped`: the job said that there was nothing to do. `vetoed`: a trigger listener kept it from running.
   */
  readonly outcome: RunOutcome;
  /** Its retries are used up, and nobody has run it again or discarded it. */
  readonly isDeadLetter: boolean;
  /** It is the last run of an occurrence that failed, and nobody has rerun it: `rerun` takes it. False of a run that was lost with its node. */
  readonly canRerun: boolean;
  /** What it failed with, at most 1,000 characters; null: nothing. */
  readonly error: string | null;
  /** The stack of what it threw, causes included, at most 16 kB; null: nothing. */
  readonly stack: string | null;
  /** The part of its occurrence that it was for, with what was given for it; null: all of it. */
  readonly shard: Shard | null;
  /** What the job reported that it did; null: nothing. */
  readonly summary: string | null;
  /** What the job reported that it measured, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** What the job returned, as JSON holds it; null: nothing, a report alone (see `JobResult`), or what is not kept. */
  readonly result: JsonValue;
  /** Why that is not kept: it is no JSON, or longer than 16 kB; null: it is. */
  readonly resultOmitted: string | null;
  /** What the job logged, oldest first: at most 64 kB, of which the newest lines are kept. */
  readonly lines: readonly RunLine[];
  /** How many older lines the job logged that are not kept. */
  readonly droppedLines: number;
}

/** Which runs. All that is given must match. */
export interface RunListOptions {
  /** Only of this job. */
  readonly job?: JobKeyLike;
  /** Only of jobs of these groups. */
  readonly jobGroup?: GroupMatcher;
  /** Only of occurrences of this trigger, their retries included. */
  readonly trigger?: TriggerKeyLike;
  /** Only of this occurrence (`occurrenceId` of a run). Give its `trigger` too: an index finds the runs of a trigger, none those of an occurrence. */
  readonly occurrence?: string;
  /** Only with this outcome, or with one of these. */
  readonly outcome?: RunOutcome | readonly RunOutcome[];
  /** Only on the node with this instance id. */
  readonly node?: string;
  /** Only those that ended then or later. */
  readonly since?: Date;
  /** Only those that ended before. */
  readonly until?: Date;
  /** Only those with this text in the key of the job or trigger (`group/name`), or in the error; upper and lower case alike. */
  readonly search?: string;
  /** Only dead letters (true), or all (false, the default). */
  readonly deadLetters?: boolean;
  /** Only what comes after the page before: its `next`. */
  readonly after?: string;
  /** How many to return, or to change: a whole number from 1 to 1,000 (default 100; of what is changed: all). */
  readonly limit?: number;
}

/** A page of runs, newest first: by the time at which they ended. */
export interface RunList {
  /**
   * The runs of this page: fewer than `limit`, even none, although there is a `next`, where so many runs were looked at that one page would take
   * too long. In a database that is 50,000, with only `node`, `jobGroup` or `search` to find them by.
   */
  readonly items: readonly Run[];
  /** For `after`, to get the next page; null: there is none. */
  readonly next: string | null;
}

/** How a job is doing, by its newest recorded runs. What is not recorded (see `withHistory`) does not count. */
export interface JobStatus {
  /** The newest recorded run; null: there is none. */
  readonly lastRun: Run | null;
  /** The newest one that succeeded, however old; null: there is none. */
  readonly lastSuccess: Run | null;
  /**
   * How many of those looked at have failed, timed out, been interrupted or lost since one succeeded. Runs that were skipped or vetoed, and
   * misfires, neither count nor end the row.
   */
  readonly failuresInARow: number;
  /** How many runs were looked at: the newest, at most 200. */
  readonly runs: number;
  /** How long those took that began here and ended, in milliseconds. */
  readonly durationMs: Percentiles;
  /** How much later than scheduled they were fired, first attempts alone, in milliseconds. */
  readonly latenessMs: Percentiles;
  /** When the next of its triggers fires that is not paused or in error; null: none does. */
  readonly nextFireTime: Date | null;
}

/** An occurrence that is run in parts, until the last of them has ended for good. */
export interface OngoingOccurrence {
  /** Id of the occurrence, as its runs have it. */
  readonly occurrenceId: string;
  /** The trigger whose occurrence it is. It may be gone. */
  readonly triggerKey: TriggerKey;
  /** The job whose parts are run. */
  readonly jobKey: JobKey;
  /** When the occurrence was to fire. */
  readonly scheduledFireTime: Date;
  /** When it was taken apart. */
  readonly startTime: Date;
  /** How many parts it has. */
  readonly parts: number;
  /** How many of them have not ended for good: they wait, run, or will be tried again. */
  readonly remaining: number;
  /** How many of them have ended as failed. */
  readonly failed: number;
  /** Whether it is a broadcast: each part belongs to one node. */
  readonly isBroadcast: boolean;
}

/** From the stored form to the one users hold. */
export function toOngoing({ id, scheduledTime, startTime, ...occurrence }: SpreadOccurrence): OngoingOccurrence {
  return {
    ...occurrence,
    occurrenceId: id,
    scheduledFireTime: new Date(scheduledTime),
    startTime: new Date(startTime),
  };
}

/** A place in the list of runs as text: `next` of a page. */
export function runCursorText({ endTime, runId }: RunCursor): string {
  return `${endTime.toString(36)}-${runId}`;
}

/** Parses `next` of a page; null: the text is none. */
export function parseRunCursor(text: string): RunCursor | null {
  const [, end = '', runId = ''] = /^([0-9a-z]{1,11})-(.{0,190})$/s.exec(text) ?? [];
  const endTime = Number.parseInt(end, 36);
  return end !== '' && Number.isSafeInteger(endTime) ? { endTime, runId } : null; // an empty one: before all that ended then
}

/** From the stored form to the one users hold. */
export function toRun(record: RunRecord): Run {
  const { stack = null, shard = null, summary = null, ...detail } = detailOf(record);
  const { metrics = {}, lines = [], droppedLines = 0, result = null, resultOmitted = null } = detail;
  // Field by field: a rest pattern is slow, and a page has a thousand runs.
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

/** The same for one line. */
export function toRunLine(line: StoredLine): RunLine {
  return { ...line, at: new Date(line.at) };
}
