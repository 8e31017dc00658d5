import type { EpochMs } from '../base/clock';
import type { ExecutionPolicy } from './execution-policy';
import type { JobData, JsonValue } from './job-data';
import type { JobDetail } from './job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from './keys';
import type { Occurrence, Shard } from './occurrence';
import type { Trigger } from './trigger';

/**
 * How a run ended. `lost`: with its node. `misfired`: a fire time that passed and was not made up for. `skipped`: its job was not to run.
 * `interrupted`: it failed after it was asked to stop.
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

/** What is kept of one run besides what it is found by. */
export interface RunDetail {
  /** Of the last run of an occurrence that failed and is no dead letter: nobody has rerun it. The first member; see `RERUNNABLE`. */
  readonly canRerun?: boolean;
  /** The stack of what the job threw, causes included; at most 16 kB. */
  readonly stack?: string;
  /** What the job said it did. */
  readonly summary?: string;
  /** What the job measured. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** What the job logged: at most 64 kB, the oldest lines go first. */
  readonly lines?: readonly RunLine[];
  /** What the job returned; absent: nothing, or what is no JSON or too long. */
  readonly result?: JsonValue;
  /** Why that is not kept; absent: it is. */
  readonly resultOmitted?: string;
  /** How many older lines were dropped; absent: none. */
  readonly droppedLines?: number;
  /** Of a part of an occurrence. */
  readonly shard?: Shard;
  /** Of the last run of an occurrence that failed: the data of its trigger, for a rerun. */
  readonly triggerData?: JobData;
  /** Of the same. */
  readonly priority?: number;
  /** Of the same: the policy of its trigger; absent: none. */
  readonly policy?: ExecutionPolicy;
  /** Of the same, if its job is not durable and so may be gone when it is rerun: the job, without its key. */
  readonly job?: Omit<JobDetail, 'key'>;
}

/** One line that a job logged. */
export interface RunLine {
  readonly at: EpochMs;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** What was logged beside the message; null: nothing. */
  readonly data: JsonValue;
}

/** Which run it is, and of what. */
export interface RunName {
  /** Id of the run: the same while it runs and in its record. */
  readonly runId: string;
  /** The trigger whose occurrence it is: of a retry or a recovery, the first one. */
  readonly triggerKey: TriggerKey;
  /** The job that ran. */
  readonly jobKey: JobKey;
}

/** One run of an occurrence, after it has ended. */
export interface RunRecord extends RunName {
  readonly jobType: string;
  /** The node that ran it. */
  readonly instanceId: string;
  /** The occurrence that it is a run of: the runs that have the same one are its attempts and parts. */
  readonly occurrenceId: string;
  /** When the occurrence was to fire. */
  readonly scheduledTime: EpochMs;
  /** When this run was fired. */
  readonly fireTime: EpochMs;
  readonly endTime: EpochMs;
  /** From 1. */
  readonly attempt: number;
  readonly outcome: RunOutcome;
  /** Its retries are used up, and nobody has run it again or discarded it. */
  readonly isDeadLetter: boolean;
  /** What it failed with, at most 1,000 characters; null: nothing. */
  readonly error: string | null;
  /** A `RunDetail` as JSON; null: there is none. As text, because most runs are written and never read. */
  readonly detail: string | null;
}

/** So many characters of a detail begin with all that a list shows of it: what is long is written behind. */
export const BRIEF_LENGTH = 8_192;

/** A detail of which only the beginning was read: its first members, as far as they are whole. */
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

/** What is kept of the part that a run was for; nothing, where it was for the whole occurrence. */
export function detailOfPart({ shard }: Pick<Occurrence, 'shard'>): Pick<RunDetail, 'shard'> {
  if (shard === undefined) return {};
  const { index, count, param } = shard;
  return { shard: { index, count, param } };
}

/** A place in the list of runs, newest first. */
export interface RunCursor {
  readonly endTime: EpochMs;
  readonly runId: string;
}

/** Which runs, newest first. All that is given must match. */
export interface RunQuery {
  /** Exactly these; what is gone is left out. */
  readonly runIds?: readonly string[];
  readonly jobKey?: JobKey;
  readonly jobGroup?: GroupMatcher;
  readonly triggerKey?: TriggerKey;
  /** Of this occurrence. With its trigger, fewer rows are read. */
  readonly occurrenceId?: string;
  readonly outcomes?: readonly RunOutcome[];
  readonly instanceId?: string;
  /** Ended at or after. */
  readonly since?: EpochMs;
  /** Ended before. */
  readonly until?: EpochMs;
  /** Part of the text of the job's or trigger's key (`group/name`) or of the error, upper and lower case alike. */
  readonly search?: string;
  /** Only dead letters. */
  readonly deadLetters?: boolean;
  /** Only what comes after this place in the list. */
  readonly after?: RunCursor;
  /** What is needed of details: by default all, `brief` what `briefDetail` keeps, `none`: they may all be null in the answer. */
  readonly detail?: 'brief' | 'none';
  /** The longest page. */
  readonly take: number;
}

export interface RunPage {
  readonly items: readonly RunRecord[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: RunCursor | null;
}

/** Fewer than so many, and fewer than were asked for, are deleted at once only where there are no more. */
export const MIN_PRUNED = 200;

/** Runs that are no longer kept. */
export interface RunRetention {
  /** Ended before. */
  readonly before: EpochMs;
  /** Only these; absent: any. */
  readonly outcomes?: readonly RunOutcome[];
  /** Dead letters only; else all but dead letters. */
  readonly deadLetters?: boolean;
  /** At most so many in one transaction. */
  readonly maxCount: number;
  /**
   * The transaction deletes no more when it has taken so many milliseconds: where writes exclude each other, a firing may wait for it. Absent: it may take as
   * long as it takes.
   */
  readonly maxMs?: number;
}

/** What is recorded of the fire time that a misfired trigger passes over. */
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
