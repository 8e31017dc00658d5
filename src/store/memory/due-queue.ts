import type { EpochMs } from '../../base/clock';
import type { DueTriggers } from '../../domain/acquisition';
import { mayTake, type NodeScope } from '../../domain/placement';
import { earlier, WaitingTriggers } from './due-list';
import { type JobEntry, type JobTypeQueue, NonConcurrentQueue, partsOf, type TriggerEntry } from './entries';

const KINDS = ['ignoring', 'due', 'misfired'] as const;

/**
 * All waiting triggers in the order they fire, by job type, so that those of a type nobody here can run delay nothing. Of a job that
 * disallows concurrent execution, only the first of each kind stands in the queue of its type, and none while it must wait.
 */
export class DueQueue {
  readonly #queues = new Map<string, JobTypeQueue>();
  /** What the node takes. */
  readonly scope: NodeScope;
  #misfireTime: EpochMs = Number.NEGATIVE_INFINITY;
  #earliestOffered: EpochMs | null = null;

  constructor(scope: NodeScope) {
    this.scope = scope;
  }

  /** Queues the waiting triggers of a job that was stored. */
  open(job: JobEntry): void {
    const { jobType, disallowConcurrentExecution } = job.detail;
    const queue = this.#queues.get(jobType) ?? { jobCount: 0, waiting: this.#newWaiting() };
    this.#queues.set(jobType, queue);
    queue.jobCount += 1;
    job.queue = queue;
    job.nonConcurrent = disallowConcurrentExecution ? new NonConcurrentQueue(this.#newWaiting()) : null;
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
    if (queue.jobCount === 0) this.#queues.delete(job.detail.jobType);
  }

  add(entry: TriggerEntry): void {
    const { queue, nonConcurrent } = entry.job;
    if (nonConcurrent === null) queue?.waiting.add(entry);
    else {
      nonConcurrent.waiting.add(entry);
      this.#requeue(entry.job);
    }
    this.#note(entry);
  }

  delete(entry: TriggerEntry): void {
    const { queue, nonConcurrent } = entry.job;
    if (nonConcurrent === null) queue?.waiting.delete(entry);
    else {
      nonConcurrent.waiting.delete(entry);
      this.#requeue(entry.job);
    }
  }

  /** To be called when a job starts or stops being blocked. */
  refresh(job: JobEntry): void {
    if (job.nonConcurrent === null) return;
    this.#requeue(job);
    const next = earlier(job.nonConcurrent.queued.ignoring, job.nonConcurrent.queued.due);
    if (next !== null) this.#note(next);
  }

  /** What may be acquired by a node that runs these job types. To be ended. */
  acquirable(jobTypes: readonly string[], misfireTime: EpochMs): DueCursor {
    this.#moveMisfireTime(misfireTime);
    const queues = [...new Set(jobTypes)].flatMap((jobType) => this.#queues.get(jobType) ?? []);
    return new DueCursor(this, queues, misfireTime);
  }

  /** Takes a trigger for a batch: until its job is released, no other of a job that disallows concurrent execution may be taken. */
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

  /** The longest waiting misfired trigger. */
  firstMisfired(misfireTime: EpochMs): TriggerEntry | null {
    this.#moveMisfireTime(misfireTime);
    let first: TriggerEntry | null = null;
    for (const { waiting } of this.#queues.values()) first = earlier(first, waiting.firstMisfired(misfireTime));
    return first;
  }

  /** The earliest fire time that came within reach since this was asked last; null when none did. */
  takeEarliestOffered(): EpochMs | null {
    const earliest = this.#earliestOffered;
    this.#earliestOffered = null;
    return earliest;
  }

  #newWaiting(): WaitingTriggers<TriggerEntry> {
    return new WaitingTriggers<TriggerEntry>((entry) => !mayTake(this.scope, partsOf(entry)));
  }

  /** What misfires by that is no longer the trigger that its job may fire next. When the clock was set back, all is looked through. */
  #moveMisfireTime(time: EpochMs): void {
    const before = this.#misfireTime;
    if (time === before) return;
    this.#misfireTime = time;
    const from = time > before ? before : Number.NEGATIVE_INFINITY;
    for (const { waiting } of this.#queues.values()) {
      for (const { job } of waiting.between(from, Math.max(before, time))) this.#requeue(job);
    }
  }

  /** Decides anew which triggers of a job that disallows concurrent execution stand in the queue of its type. */
  #requeue({ queue, nonConcurrent, executing }: JobEntry): void {
    if (queue === null || nonConcurrent === null) return;
    const { waiting, isHeld, queued } = nonConcurrent;
    const isBlocked = executing > 0;
    const mayFire = !isBlocked && !isHeld;
    const next = {
      ignoring: mayFire ? waiting.firstIgnoring() : null,
      due: mayFire ? waiting.firstDue(this.#misfireTime) : null,
      misfired: isBlocked ? null : waiting.firstMisfired(this.#misfireTime),
    };
    for (const kind of KINDS) {
      const before = queued[kind];
      if (before !== null && before !== next[kind]) queue.waiting.delete(before);
    }
    for (const kind of KINDS) {
      const after = next[kind];
      if (after !== null && after !== queued[kind]) queue.waiting.add(after);
    }
    nonConcurrent.queued = next;
  }

  #note({ trigger }: TriggerEntry): void {
    const time = trigger.nextFireTime;
    if (time !== null && (this.#earliestOffered === null || time < this.#earliestOffered)) this.#earliestOffered = time;
  }
}

/** Whether a trigger stands among what is due some time. */
function isQueued({ trigger, state, waitsFor }: TriggerEntry): boolean {
  return state === 'WAITING' && waitsFor === null && trigger.kind !== 'AFTER';
}

/** A queue of a job type, and its first trigger that may be acquired. */
interface Head {
  readonly waiting: JobTypeQueue['waiting'];
  first: TriggerEntry | null;
}

/** Takes triggers out of the queues, in the order they fire, for one batch. */
class DueCursor implements DueTriggers<TriggerEntry> {
  readonly #due: DueQueue;
  readonly #misfireTime: EpochMs;
  readonly #heads: readonly Head[];
  readonly #held: JobEntry[] = [];

  constructor(due: DueQueue, queues: readonly JobTypeQueue[], misfireTime: EpochMs) {
    this.#due = due;
    this.#misfireTime = misfireTime;
    this.#heads = queues.map(({ waiting }) => ({ waiting, first: waiting.firstAcquirable(misfireTime) }));
  }

  takeDueBy(time: EpochMs): TriggerEntry | null {
    const head = this.#earliestHead();
    const entry = head?.first ?? null;
    if (head === null || entry === null || (entry.trigger.nextFireTime ?? 0) > time) return null;
    if (entry.job.nonConcurrent !== null) this.#held.push(entry.job);
    this.#due.hold(entry);
    head.first = head.waiting.firstAcquirable(this.#misfireTime);
    return entry;
  }

  /** Ends the batch: the jobs in it may be taken again. */
  end(): void {
    for (const job of this.#held) this.#due.release(job);
  }

  #earliestHead(): Head | null {
    let earliest: Head | null = null;
    for (const head of this.#heads) {
      if (head.first === null) continue;
      if (earliest === null || earlier(earliest.first, head.first) === head.first) earliest = head;
    }
    return earliest;
  }
}
