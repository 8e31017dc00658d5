import type { EpochMs } from '../../base/clock';
import { type DueTriggers, dueOrder } from '../../domain/acquisition';
import type { GroupCapacity } from '../../domain/group-limits';
import { mayTake, type NodeScope } from '../../domain/placement';
import { DueList, earlier, WaitingTriggers } from './due-list';
import {
  type JobEntry,
  type JobTypeQueue,
  NonConcurrentLane,
  NonConcurrentQueue,
  partsOf,
  type TriggerEntry,
  type WaitingLane,
} from './entries';
import { Lanes } from './lanes';

const KINDS = ['ignoring', 'due', 'aged', 'misfired'] as const;

/** Returns the original due time of the firing that a rate limit has deferred to this trigger. Returns null for triggers of other firings. */
type DueOf = (entry: TriggerEntry) => EpochMs | null;

/**
 * All waiting triggers by job type, in firing order, so that triggers of a job type without registered code delay no other trigger. For a job that
 * disallows concurrent execution, the queue of the job type contains only the first trigger of each kind (`KINDS`), and none while the job runs.
 */
export class DueQueue {
  readonly #queues = new Map<string, JobTypeQueue>();
  /** Queues of job groups with a limit, by group name and job type. A group that has reached its limit is skipped without reading its triggers. */
  readonly #queuesOfGroups = new Map<string, Map<string, JobTypeQueue>>();
  readonly scope: NodeScope;
  readonly #dueOf: DueOf;
  /** Waiting triggers that a rate limit has deferred to a later fire time. */
  readonly #unripe = new DueList<TriggerEntry>();
  /** Triggers of non-concurrent jobs that are not yet due, and have waited since an earlier time. From then on, they may be the first of their job. */
  readonly #agedLater = new DueList<TriggerEntry>();
  #now: EpochMs = Number.NEGATIVE_INFINITY;
  #misfireTime: EpochMs = Number.NEGATIVE_INFINITY;
  #earliestOffered: EpochMs | null = null;

  constructor(scope: NodeScope, dueOf: DueOf) {
    this.scope = scope;
    this.#dueOf = dueOf;
  }

  /** Queues the waiting triggers of a newly stored job. */
  open(job: JobEntry): void {
    const { jobType, disallowConcurrentExecution } = job.detail;
    const queues = this.#queuesFor(job);
    const queue = queues.get(jobType) ?? {
      jobCount: 0,
      lanes: this.#newLanes(() => ({ waiting: this.#newWaiting() })),
    };
    queues.set(jobType, queue);
    queue.jobCount += 1;
    job.queue = queue;
    job.nonConcurrent = disallowConcurrentExecution
      ? new NonConcurrentQueue(this.#newLanes(() => new NonConcurrentLane(this.#newWaiting())))
      : null;
    for (const entry of job.triggers.toArray()) {
      if (isQueued(entry)) this.add(entry);
      else if (entry.state === 'ACQUIRED') job.nonConcurrent?.acquired.add(entry);
    }
  }

  /** Reverses `open`. */
  close(job: JobEntry): void {
    for (const entry of job.triggers.toArray()) {
      if (isQueued(entry)) this.delete(entry);
    }
    const { queue } = job;
    job.queue = null;
    job.nonConcurrent = null;
    if (queue === null) return;
    queue.jobCount -= 1;
    if (queue.jobCount === 0) this.#queuesFor(job).delete(job.detail.jobType);
  }

  /** Moves the jobs of a group to separate queues, unless the group already has separate queues. `jobs`: the stored jobs of the group. */
  separate(group: string, jobs: Iterable<JobEntry>): void {
    if (this.#queuesOfGroups.has(group)) return;
    const offered = this.#earliestOffered;
    const own = [...jobs];
    for (const job of own) this.close(job);
    this.#queuesOfGroups.set(group, new Map());
    for (const job of own) this.open(job);
    this.#earliestOffered = offered; // no trigger was added
  }

  add(entry: TriggerEntry): void {
    const { queue, nonConcurrent } = entry.job;
    if ((entry.trigger.nextFireTime ?? 0) > (this.#dueOf(entry) ?? Number.POSITIVE_INFINITY)) this.#unripe.add(entry);
    if (nonConcurrent === null) queue?.lanes.of(entry.trigger).waiting.add(entry);
    else {
      nonConcurrent.lanes.of(entry.trigger).waiting.add(entry);
      if (entry.firstDueTime !== null && (entry.trigger.nextFireTime ?? 0) > this.#now) this.#agedLater.add(entry);
      this.#requeue(entry.job);
    }
    this.#note(entry);
  }

  delete(entry: TriggerEntry): void {
    const { queue, nonConcurrent } = entry.job;
    this.#unripe.delete(entry);
    this.#agedLater.delete(entry);
    if (nonConcurrent === null) {
      if (queue !== null) deleteFrom(queue.lanes, entry);
    } else {
      const lane = nonConcurrent.lanes.of(entry.trigger);
      lane.waiting.delete(entry);
      this.#requeue(entry.job);
      if (lane.waiting.isEmpty) nonConcurrent.lanes.prune(entry.trigger);
    }
  }

  /** Returns the waiting triggers of deferred firings whose fire times are at or before `now`, and are not yet reset to the original due times. */
  ripe(now: EpochMs): readonly TriggerEntry[] {
    return this.#unripe.between(Number.NEGATIVE_INFINITY, now + 1);
  }

  /** Must be called when the job becomes blocked or unblocked. */
  refresh(job: JobEntry): void {
    if (job.nonConcurrent === null) return;
    this.#requeue(job);
    for (const { queued } of job.nonConcurrent.lanes.all) {
      const next = earlier(earlier(queued.ignoring, queued.due), queued.aged);
      if (next !== null) this.#note(next);
    }
  }

  /** Cursor over the triggers that a node with these job types may acquire; the caller must end it. `capacity`: of separated groups; null if none. */
  acquirable(
    jobTypes: readonly string[],
    { now, misfireTime }: { readonly now: EpochMs; readonly misfireTime: EpochMs },
    capacity: GroupCapacity | null = null,
  ): DueCursor {
    this.#moveMisfireTime(misfireTime);
    this.#moveNow(now);
    const types = [...new Set(jobTypes)];
    const ofGroups = [...this.#queuesOfGroups].map(([group, queues]) => ({ group, queues }));
    const heads = [{ group: null, queues: this.#queues }, ...ofGroups].flatMap(({ group, queues }) =>
      types.flatMap((jobType) => (queues.get(jobType)?.lanes.all ?? []).map(({ waiting }) => ({ group, waiting }))),
    );
    return new DueCursor(this, heads, { capacity, misfireTime, now, order: dueOrder(this.scope.ageing, now) });
  }

  /** Removes a trigger from the queue for a batch. No other trigger of its non-concurrent job may be taken until `release`. */
  hold(entry: TriggerEntry): void {
    const { nonConcurrent } = entry.job;
    if (nonConcurrent !== null) nonConcurrent.isHeld = true;
    this.delete(entry);
  }

  release(job: JobEntry): void {
    if (job.nonConcurrent === null) return;
    job.nonConcurrent.isHeld = false;
    this.#requeue(job);
  }

  firstMisfired(misfireTime: EpochMs): TriggerEntry | null {
    this.#moveMisfireTime(misfireTime);
    let first: TriggerEntry | null = null;
    for (const { waiting } of this.#lanes()) first = earlier(first, waiting.firstMisfired(misfireTime));
    return first;
  }

  /** Returns the earliest fire time that was added or unblocked since the last call; null if there was none. */
  takeEarliestOffered(): EpochMs | null {
    const earliest = this.#earliestOffered;
    this.#earliestOffered = null;
    return earliest;
  }

  #queuesFor({ detail }: JobEntry): Map<string, JobTypeQueue> {
    return this.#queuesOfGroups.get(detail.key.group) ?? this.#queues;
  }

  #newLanes<Lane>(newLane: () => Lane): Lanes<Lane> {
    return new Lanes(this.scope.ageing !== null, newLane);
  }

  #lanes(): readonly WaitingLane[] {
    const all = [this.#queues, ...this.#queuesOfGroups.values()].flatMap((queues) => [...queues.values()]);
    return all.flatMap(({ lanes }) => lanes.all);
  }

  #newWaiting(): WaitingTriggers<TriggerEntry> {
    const isElsewhere = (entry: TriggerEntry) => !mayTake(this.scope, partsOf(entry));
    return new WaitingTriggers<TriggerEntry>(isElsewhere, this.scope.ageing !== null);
  }

  /** Sets the time by which triggers are due. Only the order of triggers that have an age depends on it. */
  #moveNow(now: EpochMs): void {
    this.#now = now;
    for (const entry of this.#agedLater.between(Number.NEGATIVE_INFINITY, now + 1)) {
      this.#agedLater.delete(entry);
      this.#requeue(entry.job);
    }
  }

  /**
   * Sets the time before which triggers have misfired. A trigger that has misfired since the last call may no longer count as the next trigger of its
   * non-concurrent job. After a backward clock step, checks all triggers before the previous time.
   */
  #moveMisfireTime(time: EpochMs): void {
    const before = this.#misfireTime;
    if (time === before) return;
    this.#misfireTime = time;
    const from = time > before ? before : Number.NEGATIVE_INFINITY;
    for (const { waiting } of this.#lanes()) {
      for (const { job } of waiting.between(from, Math.max(before, time))) this.#requeue(job);
    }
  }

  /** Queues the first trigger of each kind of a non-concurrent job: none while the job runs, only the misfired one while a batch holds the job. */
  #requeue({ queue, nonConcurrent, executing }: JobEntry): void {
    if (queue === null || nonConcurrent === null) return;
    const isBlocked = executing > 0;
    const mayFire = !isBlocked && !nonConcurrent.isHeld;
    for (const lane of nonConcurrent.lanes.all) this.#requeueLane(queue, lane, { mayFire, isBlocked });
  }

  #requeueLane(
    queue: JobTypeQueue,
    lane: NonConcurrentLane,
    { mayFire, isBlocked }: { readonly mayFire: boolean; readonly isBlocked: boolean },
  ): void {
    const { waiting, queued } = lane;
    const due = mayFire ? waiting.firstDue(this.#misfireTime) : null;
    const aged = mayFire ? waiting.firstAged(this.#misfireTime, this.#now) : null;
    const next = {
      ignoring: mayFire ? waiting.firstIgnoring() : null,
      due,
      aged: aged === due ? null : aged,
      misfired: isBlocked ? null : waiting.firstMisfired(this.#misfireTime),
    };
    for (const kind of KINDS) {
      const before = queued[kind];
      if (before !== null && before !== next[kind]) deleteFrom(queue.lanes, before);
    }
    for (const kind of KINDS) {
      const after = next[kind];
      if (after !== null && after !== queued[kind]) queue.lanes.of(after.trigger).waiting.add(after);
    }
    lane.queued = next;
  }

  #note({ trigger }: TriggerEntry): void {
    const time = trigger.nextFireTime;
    if (time !== null && (this.#earliestOffered === null || time < this.#earliestOffered)) this.#earliestOffered = time;
  }
}

/** True if a trigger waits for its fire time, not for a limit or another job. */
function isQueued({ trigger, state, waitsFor }: TriggerEntry): boolean {
  return state === 'WAITING' && waitsFor === null && trigger.kind !== 'AFTER';
}

function deleteFrom(lanes: Lanes<WaitingLane>, entry: TriggerEntry): void {
  const { waiting } = lanes.of(entry.trigger);
  waiting.delete(entry);
  if (waiting.isEmpty) lanes.prune(entry.trigger);
}

/** A lane of a job type, with its first trigger that may be acquired. */
interface Head extends WaitingLane {
  /** Separated job group; null for all job groups that are not separated. */
  readonly group: string | null;
  first: TriggerEntry | null;
}

interface CursorTerms {
  readonly capacity: GroupCapacity | null;
  readonly misfireTime: EpochMs;
  readonly now: EpochMs;
  readonly order: (a: TriggerEntry, b: TriggerEntry) => number;
}

/** Takes triggers from the queues for one batch, in firing order. */
class DueCursor implements DueTriggers<TriggerEntry> {
  readonly #due: DueQueue;
  readonly #heads: readonly Head[];
  readonly #terms: CursorTerms;
  readonly #held: JobEntry[] = [];

  constructor(due: DueQueue, lanes: readonly Omit<Head, 'first'>[], terms: CursorTerms) {
    this.#due = due;
    this.#terms = terms;
    this.#heads = lanes.map((lane) => ({ ...lane, first: this.#firstOf(lane) }));
  }

  takeDueBy(time: EpochMs): TriggerEntry | null {
    const head = this.#firstHead();
    const entry = head?.first ?? null;
    if (head === null || entry === null || (entry.trigger.nextFireTime ?? 0) > time) return null;
    const isAlone = entry.job.nonConcurrent !== null;
    if (isAlone) this.#held.push(entry.job);
    this.#due.hold(entry);
    // The other triggers of a non-concurrent job were removed from the queue. They may have been first in other lanes.
    for (const each of isAlone ? this.#heads : [head]) each.first = this.#firstOf(each);
    return entry;
  }

  /** Ends the batch, so that other triggers of its non-concurrent jobs may be taken. */
  end(): void {
    for (const job of this.#held) this.#due.release(job);
  }

  #firstHead(): Head | null {
    const { order } = this.#terms;
    let found: Head | null = null;
    for (const head of this.#heads) {
      if (head.first === null || (head.group !== null && this.#terms.capacity?.hasCapacity(head.group) === false))
        continue;
      if (found?.first == null || order(head.first, found.first) < 0) found = head;
    }
    return found;
  }

  /** Returns the trigger of a lane that fires first: the first by fire time, or a due one that has waited longer. */
  #firstOf({ waiting }: WaitingLane): TriggerEntry | null {
    const { misfireTime, now, order } = this.#terms;
    const first = waiting.firstAcquirable(misfireTime);
    const aged = waiting.firstAged(misfireTime, now);
    if (first === null || aged === null) return first;
    return order(aged, first) < 0 ? aged : first;
  }
}
