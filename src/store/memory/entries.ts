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
 * A trigger's state without what follows from its job: WAITING is BLOCKED, and PAUSED is PAUSED_BLOCKED, as long as the
 * job is blocked. So a firing need not touch the other triggers of its job, however many there are.
 */
export type OwnState = Exclude<TriggerState, 'BLOCKED' | 'PAUSED_BLOCKED'>;

/** A stored trigger. Only `MemoryTables` changes one. */
export class TriggerEntry {
  readonly keyText: string;
  trigger: Trigger;
  job: JobEntry;
  state: OwnState;
  /** The reservation; not null exactly while ACQUIRED. */
  runId: string | null = null;
  /** The key of the limit that it waits for; null: none. Only while WAITING. */
  waitsFor: string | null = null;
  isStored = false;
  /** Its places among the triggers of its job and of its group. */
  indexInJob = 0;
  indexInGroup = 0;

  constructor(keyText: string, trigger: Trigger, job: JobEntry, state: OwnState) {
    this.keyText = keyText;
    this.trigger = trigger;
    this.job = job;
    this.state = state;
  }
}

/** A job, for as long as it is stored or executes. Only `MemoryTables` changes one. */
export class JobEntry {
  readonly keyText: string;
  detail: JobDetail;
  readonly triggers = new IndexedSet<'indexInJob', TriggerEntry>('indexInJob');
  /** Executions that have not been completed. */
  executing = 0;
  isStored = false;
  indexInGroup = 0;
  /** Where its waiting triggers are queued; null while the job is not stored. */
  queue: JobTypeQueue | null = null;
  /** Not null exactly while the stored job disallows concurrent execution. */
  nonConcurrent: NonConcurrentQueue | null = null;

  constructor(keyText: string, detail: JobDetail) {
    this.keyText = keyText;
    this.detail = detail;
  }

  /** It executes, and may not execute twice at a time. */
  get isBlocked(): boolean {
    return this.executing > 0 && this.nonConcurrent !== null;
  }
}

/** The triggers of one job type that may be acquired next or have misfired. */
export interface JobTypeQueue {
  /** Stored jobs of this type. */
  jobCount: number;
  readonly lanes: Lanes<WaitingLane>;
}

/** Triggers among which the earliest fires first: all, or those of one priority. */
export interface WaitingLane {
  readonly waiting: WaitingTriggers<TriggerEntry>;
}

/**
 * The triggers of a job that disallows concurrent execution. Only its next ones stand in the queue of the job type, so that a firing
 * costs the same whether the job has one trigger or 200,000.
 */
export class NonConcurrentQueue {
  readonly lanes: Lanes<NonConcurrentLane>;
  readonly acquired = new Set<TriggerEntry>();
  /** One of its triggers is in the batch that is being taken, so no other may be. */
  isHeld = false;

  constructor(lanes: Lanes<NonConcurrentLane>) {
    this.lanes = lanes;
  }
}

/** Those of one lane. */
export class NonConcurrentLane implements WaitingLane {
  readonly waiting: WaitingTriggers<TriggerEntry>;
  /** What stands in the queue of the job type: the first of each kind. */
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

/** A firing whose completion has not come yet. */
export interface Execution {
  readonly entry: TriggerEntry;
  readonly job: JobEntry;
  /** The keys of its limits. */
  readonly limitKeys: readonly string[];
}

/** A trigger and its job. */
export function partsOf({ trigger, job }: TriggerEntry) {
  return { trigger, jobDetail: job.detail };
}

/** Whether the triggers of a job stand in other queues with its new definition. */
export function isQueuedAnew(before: JobDetail, after: JobDetail): boolean {
  if (before.jobType !== after.jobType) return true;
  if (before.disallowConcurrentExecution !== after.disallowConcurrentExecution) return true;
  if (before.policy === undefined && after.policy === undefined) return false;
  const [of, become] = [before, after].map((jobDetail) => placementOf({ trigger: {}, jobDetail }));
  return !samePlacement(of ?? null, become ?? null);
}

/** The state of a stored trigger as others see it. */
export function stateOf({ state, job, waitsFor }: TriggerEntry): TriggerState {
  if (waitsFor !== null) return 'BLOCKED';
  if (!job.isBlocked) return state;
  if (state === 'WAITING') return 'BLOCKED';
  return state === 'PAUSED' ? 'PAUSED_BLOCKED' : state;
}

/** What is kept of a state; the rest follows from the job. */
export function toOwnState(state: TriggerState): OwnState {
  if (state === 'BLOCKED') return 'WAITING';
  return state === 'PAUSED_BLOCKED' ? 'PAUSED' : state;
}

/** What is expected, and whether its present lapse was told of. */
export interface StoredExpectation extends Expectation {
  readonly isReported: boolean;
}

/** How far the job of an occurrence has come. */
export interface StoredCheckpoint {
  /** As JSON. */
  readonly value: string;
  /** The run that saved it, or that was the last to end with it. */
  readonly runId: string;
  readonly updatedTime: EpochMs;
}
