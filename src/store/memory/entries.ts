import type { EpochMs } from '../../base/clock';
import type { Expectation } from '../../domain/expectation';
import type { StoredCalendar } from '../../domain/firing';
import type { JobDetail } from '../../domain/job-detail';
import { placementOf, samePlacement } from '../../domain/placement';
import type { Trigger } from '../../domain/trigger';
import type { TriggerState } from '../../domain/trigger-state';
import type { WaitingTriggers } from './due-list';
import { IndexedSet } from './indexed-set';
import type { Lanes } from './lanes';

/**
 * A trigger's state without the part that follows from its job: while the job is blocked, WAITING counts as BLOCKED, and PAUSED as
 * PAUSED_BLOCKED. A firing therefore does not touch the other triggers of its job, however many there are.
 */
export type OwnState = Exclude<TriggerState, 'BLOCKED' | 'PAUSED_BLOCKED'>;

/** A stored trigger. Only `MemoryTables` changes it. */
export class TriggerEntry {
  readonly keyText: string;
  trigger: Trigger;
  job: JobEntry;
  state: OwnState;
  /** Run id of the reservation; null unless the trigger is ACQUIRED. */
  runId: string | null = null;
  /** Key of the limit that it waits for; null if none. Only set while WAITING. */
  waitsFor: string | null = null;
  isStored = false;
  /** Indexes among the triggers of its job and of its group. */
  indexInJob = 0;
  indexInGroup = 0;

  constructor(keyText: string, trigger: Trigger, job: JobEntry, state: OwnState) {
    this.keyText = keyText;
    this.trigger = trigger;
    this.job = job;
    this.state = state;
  }
}

/** A job, for as long as it is stored or executes. Only `MemoryTables` changes it. */
export class JobEntry {
  readonly keyText: string;
  detail: JobDetail;
  readonly triggers = new IndexedSet<'indexInJob', TriggerEntry>('indexInJob');
  /** Number of executions that have not been completed. */
  executing = 0;
  isStored = false;
  indexInGroup = 0;
  /** Queue of its waiting triggers; null while the job is not stored. */
  queue: JobTypeQueue | null = null;
  /** Queue of a stored job that disallows concurrent execution; null for other jobs. */
  nonConcurrent: NonConcurrentQueue | null = null;

  constructor(keyText: string, detail: JobDetail) {
    this.keyText = keyText;
    this.detail = detail;
  }

  /** True if the job executes and disallows concurrent execution. */
  get isBlocked(): boolean {
    return this.executing > 0 && this.nonConcurrent !== null;
  }
}

/** The triggers of one job type that may be acquired next or have misfired. */
export interface JobTypeQueue {
  /** Number of stored jobs of this type. */
  jobCount: number;
  readonly lanes: Lanes<WaitingLane>;
}

/** Triggers that fire in the order of their times: all triggers, or those of one priority. */
export interface WaitingLane {
  readonly waiting: WaitingTriggers<TriggerEntry>;
}

/**
 * The triggers of a job that disallows concurrent execution. Only the next ones are in the queue of the job type. A firing therefore costs
 * the same whether the job has one trigger or 200,000.
 */
export class NonConcurrentQueue {
  readonly lanes: Lanes<NonConcurrentLane>;
  readonly acquired = new Set<TriggerEntry>();
  /** True if the current batch has taken one of its triggers. No other may be taken then. */
  isHeld = false;

  constructor(lanes: Lanes<NonConcurrentLane>) {
    this.lanes = lanes;
  }
}

/** The triggers of one lane. */
export class NonConcurrentLane implements WaitingLane {
  readonly waiting: WaitingTriggers<TriggerEntry>;
  /** Triggers that are in the queue of the job type: the first of each kind. */
  queued: Readonly<Record<'ignoring' | 'due' | 'misfired', TriggerEntry | null>> = {
    ignoring: null,
    due: null,
    misfired: null,
  };

  constructor(waiting: WaitingTriggers<TriggerEntry>) {
    this.waiting = waiting;
  }
}

/** A stored calendar and the triggers that refer to it. */
export interface CalendarEntry extends StoredCalendar {
  readonly triggers: Set<TriggerEntry>;
}

/** A firing that has not been completed. */
export interface Execution {
  readonly entry: TriggerEntry;
  readonly job: JobEntry;
  /** Keys of the limits that it holds. */
  readonly limitKeys: readonly string[];
}

/** A trigger and its job. */
export function partsOf({ trigger, job }: TriggerEntry) {
  return { trigger, jobDetail: job.detail };
}

/** True if a job's new definition moves its triggers to other queues. */
export function isQueuedAnew(before: JobDetail, after: JobDetail): boolean {
  if (before.jobType !== after.jobType) return true;
  if (before.disallowConcurrentExecution !== after.disallowConcurrentExecution) return true;
  if (before.policy === undefined && after.policy === undefined) return false;
  const [of, become] = [before, after].map((jobDetail) => placementOf({ trigger: {}, jobDetail }));
  return !samePlacement(of ?? null, become ?? null);
}

/** Returns the state of a stored trigger as readers see it. */
export function stateOf({ state, job, waitsFor }: TriggerEntry): TriggerState {
  if (waitsFor !== null) return 'BLOCKED';
  if (!job.isBlocked) return state;
  if (state === 'WAITING') return 'BLOCKED';
  return state === 'PAUSED' ? 'PAUSED_BLOCKED' : state;
}

/** Returns the stored part of a state; the rest follows from the job. */
export function toOwnState(state: TriggerState): OwnState {
  if (state === 'BLOCKED') return 'WAITING';
  return state === 'PAUSED_BLOCKED' ? 'PAUSED' : state;
}

/** An expectation, and whether its current lapse was reported. */
export interface StoredExpectation extends Expectation {
  readonly isReported: boolean;
}

/** Progress of the job of an occurrence. */
export interface StoredCheckpoint {
  /** The value as JSON. */
  readonly value: string;
  /** Run that saved it, or the last run that ended with it. */
  readonly runId: string;
  readonly updatedTime: EpochMs;
}
