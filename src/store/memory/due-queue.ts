import type { EpochMs } from '../../base/clock';
import { type DueTriggers, dueOrder } from '../../domain/acquisition';
import type { GroupCapacity } from '../../domain/group-limits';
import { mayTake, type NodeScope } from '../../domain/placement';
import type { Trigger } from '../../domain/trigger';
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

const KINDS = ['ignoring', 'due', 'misfired'] as const;

/** Returns the original due time of a firing that now waits, with this trigger, for its turn under a rate; null if there is none. */
type DueOf = (entry: TriggerEntry) => EpochMs | null;

/**
 * All waiting triggers by job type, in firing order. Triggers of a type that no job code here can run therefore delay nothing. A job that
 * disallows concurrent execution has only its first trigger of each kind in the queue of its type. It has none there while it must wait.
 */
export class DueQueue {
  readonly #queues = new Map<string, JobTypeQueue>();
  /** The same for the jobs of single groups, by group name, so that a full group is skipped as a whole. */
  readonly #queuesOfGroups = new Map<string, Map<string, JobTypeQueue>>();
  /** Triggers that the node takes. */
  readonly scope: NodeScope;
  readonly #dueOf: DueOf;
  /** Waiting triggers whose turn under a rate has not come yet. */
  readonly #unripe = new DueList<TriggerEntry>();
  #misfireTime: EpochMs = Number.NEGATIVE_INFINITY;
  #earliestOffered: EpochMs | null = null;

  constructor(scope: NodeScope, dueOf: DueOf) {
    this.scope = scope;
    this.#dueOf = dueOf;
  }

  /** Queues the waiting triggers of a job that was stored. */
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

  /** Removes what `open` queued. */
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

  /** Queues the jobs of a group separately from now on. `jobs`: the stored jobs of the group. */
  separate(group: string, jobs: Iterable<JobEntry>): void {
    if (this.#queuesOfGroups.has(group)) return;
    const offered = this.#earliestOffered;
    const own = [...jobs];
    for (const job of own) this.close(job);
    this.#queuesOfGroups.set(group, new Map());
    for (const job of own) this.open(job);
    this.#earliestOffered = offered; // none of these triggers is new
  }

  add(entry: TriggerEntry): void {
    const { queue, nonConcurrent } = entry.job;
    if ((entry.trigger.nextFireTime ?? 0) > (this.#dueOf(entry) ?? Number.POSITIVE_INFINITY)) this.#unripe.add(entry);
    if (nonConcurrent === null) queue?.lanes.of(entry.trigger).waiting.add(entry);
    else {
      nonConcurrent.lanes.of(entry.trigger).waiting.add(entry);
      this.#requeue(entry.job);
    }
    this.#note(entry);
  }

  delete(entry: TriggerEntry): void {
    const { queue, nonConcurrent } = entry.job;
    this.#unripe.delete(entry);
    if (nonConcurrent === null) {
      if (queue !== null) deleteFrom(queue.lanes, entry);
    } else {
      const lane = nonConcurrent.lanes.of(entry.trigger);
      lane.waiting.delete(entry);
      this.#requeue(entry.job);
      if (lane.waiting.isEmpty) nonConcurrent.lanes.prune(entry.trigger);
    }
  }

  /** Returns the waiting triggers whose turn under a rate has come, but whose fire time is not yet the original due time. */
  ripe(now: EpochMs): readonly TriggerEntry[] {
    return this.#unripe.between(Number.NEGATIVE_INFINITY, now + 1);
  }

  /** Updates the queue of a job. Call it when the job becomes blocked or unblocked. */
  refresh(job: JobEntry): void {
    if (job.nonConcurrent === null) return;
    this.#requeue(job);
    for (const { queued } of job.nonConcurrent.lanes.all) {
      const next = earlier(queued.ignoring, queued.due);
      if (next !== null) this.#note(next);
    }
  }

  /**
   * Returns the triggers that a node with these job types may acquire. The caller must end the cursor. `room`: capacity of separated
   * groups; absent: no group is full.
   */
  acquirable(
    jobTypes: readonly string[],
    { now, misfireTime }: { readonly now: EpochMs; readonly misfireTime: EpochMs },
    capacity: GroupCapacity | null = null,
  ): DueCursor {
    this.#moveMisfireTime(misfireTime);
    const types = [...new Set(jobTypes)];
    const ofGroups = [...this.#queuesOfGroups].map(([group, queues]) => ({ group, queues }));
    const heads = [{ group: null, queues: this.#queues }, ...ofGroups].flatMap(({ group, queues }) =>
      types.flatMap((jobType) =>
        (queues.get(jobType)?.lanes.all ?? []).map(({ waiting }) => {
          return { group, waiting, first: waiting.firstAcquirable(misfireTime) };
        }),
      ),
    );
    return new DueCursor(this, { heads, capacity, misfireTime, order: dueOrder(this.scope.ageing, now) });
  }

  /** Takes a trigger for a batch. If its job disallows concurrent execution, no other trigger of the job may be taken until `release`. */
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

  /** Returns the misfired trigger that has waited longest. */
  firstMisfired(misfireTime: EpochMs): TriggerEntry | null {
    this.#moveMisfireTime(misfireTime);
    let first: TriggerEntry | null = null;
    for (const { waiting } of this.#lanes()) first = earlier(first, waiting.firstMisfired(misfireTime));
    return first;
  }

  /** Returns the earliest fire time that became possible since the last call; null if there is none. */
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
    return new WaitingTriggers<TriggerEntry>((entry) => !mayTake(this.scope, partsOf(entry)));
  }

  /**
   * Moves triggers that have misfired by now to the misfired queue, because they no longer count as the next trigger of their job. After a
   * backward clock step, checks every trigger.
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

  /** Decides which triggers of a job that disallows concurrent execution are in the queue of its type. */
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
    const next = {
      ignoring: mayFire ? waiting.firstIgnoring() : null,
      due: mayFire ? waiting.firstDue(this.#misfireTime) : null,
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

/** True if a trigger is in a queue of triggers that will be due. */
function isQueued({ trigger, state, waitsFor }: TriggerEntry): boolean {
  return state === 'WAITING' && waitsFor === null && trigger.kind !== 'AFTER';
}

function deleteFrom(lanes: Lanes<WaitingLane>, entry: TriggerEntry): void {
  const { waiting } = lanes.of(entry.trigger);
  waiting.delete(entry);
  if (waiting.isEmpty) lanes.prune(entry.trigger);
}

/** A lane of a job type, and its first trigger that may be acquired. */
interface Head extends WaitingLane {
  /** The group of its jobs; null for all jobs whose group was not separated. */
  readonly group: string | null;
  first: TriggerEntry | null;
}

/** Conditions of a batch: the time at which it is taken, and the firing order. */
interface CursorTerms {
  readonly heads: readonly Head[];
  readonly capacity: GroupCapacity | null;
  readonly misfireTime: EpochMs;
  readonly order: (a: Trigger, b: Trigger) => number;
}

/** Takes triggers from the queues for one batch, in firing order. */
class DueCursor implements DueTriggers<TriggerEntry> {
  readonly #due: DueQueue;
  readonly #terms: CursorTerms;
  readonly #held: JobEntry[] = [];

  constructor(due: DueQueue, terms: CursorTerms) {
    this.#due = due;
    this.#terms = terms;
  }

  takeDueBy(time: EpochMs): TriggerEntry | null {
    const head = this.#firstHead();
    const entry = head?.first ?? null;
    if (head === null || entry === null || (entry.trigger.nextFireTime ?? 0) > time) return null;
    const isAlone = entry.job.nonConcurrent !== null;
    if (isAlone) this.#held.push(entry.job);
    this.#due.hold(entry);
    // Other triggers of a non-concurrent job may have been the first of their lanes.
    for (const each of isAlone ? this.#terms.heads : [head])
      each.first = each.waiting.firstAcquirable(this.#terms.misfireTime);
    return entry;
  }

  /** Ends the batch, so that its jobs may be taken again. */
  end(): void {
    for (const job of this.#held) this.#due.release(job);
  }

  #firstHead(): Head | null {
    const { order } = this.#terms;
    let found: Head | null = null;
    for (const head of this.#terms.heads) {
      if (head.first === null || (head.group !== null && this.#terms.capacity?.hasCapacity(head.group) === false))
        continue;
      if (found?.first == null || order(head.first.trigger, found.first.trigger) < 0) found = head;
    }
    return found;
  }
}
