import type { EpochMs } from '../../base/clock';
import type { Expectation } from '../../domain/expectation';
import type { StoredCalendar } from '../../domain/firing';
import { type FirstDue, firstDueOf } from '../../domain/first-due';
import type { JobDetail } from '../../domain/job-detail';
import { placementOf, samePlacement } from '../../domain/placement';
import type { Trigger } from '../../domain/trigger';
import type { TriggerState } from '../../domain/trigger-state';
import type { WaitingTriggers } from './due-list';
import { IndexedSet } from './indexed-set';
import type { Lanes } from './lanes';

/**
 * State of a trigger, as stored. Whether the trigger is blocked follows from its job: while the job is blocked, WAITING means BLOCKED, and
 * PAUSED means PAUSED_BLOCKED. A firing therefore changes no other trigger of its job, regardless of their number.
 */
type OwnState = Exclude<TriggerState, 'BLOCKED' | 'PAUSED_BLOCKED'>;

/** A stored trigger. Only `MemoryTables` may change it. */
export class TriggerEntry {
  readonly keyText: string;
  trigger: Trigger;
  job: JobEntry;
  state: OwnState;
  /** Run id of the reservation; null unless the trigger is ACQUIRED. */
  runId: string | null = null;
  /** Key of the exhausted limit that the trigger waits for; null if none. Set only in the state WAITING. */
  waitsFor: string | null = null;
  /** First due time, from the last misfire that moved the fire time; null if there was none, or if the trigger was paused since. */
  firstDue: FirstDue | null = null;
  isStored = false;
  indexInJob = 0;
  indexInGroup = 0;

  constructor(keyText: string, trigger: Trigger, job: JobEntry, state: OwnState) {
    this.keyText = keyText;
    this.trigger = trigger;
    this.job = job;
    this.state = state;
  }

  /** First due time, if a misfire has moved the present fire time; otherwise null. */
  get firstDueTime(): EpochMs | null {
    return firstDueOf(this.trigger, this.firstDue);
  }
}

/** A job, while it is stored or running. Only `MemoryTables` may change it. */
export class JobEntry {
  readonly keyText: string;
  detail: JobDetail;
  readonly triggers = new IndexedSet<'indexInJob', TriggerEntry>('indexInJob');
  /** Number of runs that have not been completed. */
  executing = 0;
  isStored = false;
  indexInGroup = 0;
  /** Queue of the job's waiting triggers; null while the job is not stored. */
  queue: JobTypeQueue | null = null;
  /** Queue of a stored job that disallows concurrent execution; null for other jobs. */
  nonConcurrent: NonConcurrentQueue | null = null;

  constructor(keyText: string, detail: JobDetail) {
    this.keyText = keyText;
    this.detail = detail;
  }

  get isBlocked(): boolean {
    return this.executing > 0 && this.nonConcurrent !== null;
  }
}

/** Triggers of one job type that may be acquired next or have misfired. */
export interface JobTypeQueue {
  jobCount: number;
  readonly lanes: Lanes<WaitingLane>;
}

/** Waiting triggers in fire-time order. With priority ageing there is one lane per priority, otherwise one lane for all. */
export interface WaitingLane {
  readonly waiting: WaitingTriggers<TriggerEntry>;
}

/** Waiting and acquired triggers of a non-concurrent job. The job type's queue has only the first of each kind, so their number does not matter. */
export class NonConcurrentQueue {
  readonly lanes: Lanes<NonConcurrentLane>;
  readonly acquired = new Set<TriggerEntry>();
  /** True if the current batch has taken a trigger of the job and therefore must not take another. */
  isHeld = false;

  constructor(lanes: Lanes<NonConcurrentLane>) {
    this.lanes = lanes;
  }
}

export class NonConcurrentLane implements WaitingLane {
  readonly waiting: WaitingTriggers<TriggerEntry>;
  /** The first trigger of each kind, which is also in the queue of the job type; null if the queue contains none of this lane. */
  queued: Readonly<Record<'ignoring' | 'due' | 'aged' | 'misfired', TriggerEntry | null>> = {
    ignoring: null,
    due: null,
    aged: null,
    misfired: null,
  };

  constructor(waiting: WaitingTriggers<TriggerEntry>) {
    this.waiting = waiting;
  }
}

export interface CalendarEntry extends StoredCalendar {
  readonly triggers: Set<TriggerEntry>;
}

/** A firing that has not been completed. */
export interface Execution {
  readonly entry: TriggerEntry;
  readonly job: JobEntry;
  /** Keys of the limits that count the firing. */
  readonly limitKeys: readonly string[];
}

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

/** Returns the effective state of a stored trigger, including BLOCKED and PAUSED_BLOCKED. */
export function stateOf({ state, job, waitsFor }: TriggerEntry): TriggerState {
  if (waitsFor !== null) return 'BLOCKED';
  if (!job.isBlocked) return state;
  if (state === 'WAITING') return 'BLOCKED';
  return state === 'PAUSED' ? 'PAUSED_BLOCKED' : state;
}

/** Returns the stored form of a state; BLOCKED and PAUSED_BLOCKED follow from the job. */
export function toOwnState(state: TriggerState): OwnState {
  if (state === 'BLOCKED') return 'WAITING';
  return state === 'PAUSED_BLOCKED' ? 'PAUSED' : state;
}

/** An expectation. `isReported` is true if the expectation has been reported as overdue since the last success. */
export interface StoredExpectation extends Expectation {
  readonly isReported: boolean;
}

/** Stored progress of an occurrence. Later runs of the occurrence can read it. */
export interface StoredCheckpoint {
  /** Value as JSON. */
  readonly value: string;
  /** Run that saved the checkpoint, or the last run that ended without deleting the checkpoint. */
  readonly runId: string;
  readonly updatedTime: EpochMs;
}
