import type { EpochMs } from '../../base/clock';
import { compareDue, type DueTriggers } from '../../domain/acquisition';
import type { JobEntry, TriggerEntry } from './entries';
import { heapify, siftDown } from './heap';
import { JobTypeQueue } from './job-type-queue';
import { earlier, NonConcurrentQueue } from './non-concurrent-queue';

/** All waiting triggers, in the order they fire, by job type. */
export class DueQueue {
  readonly #queues = new Map<string, JobTypeQueue>();
  #earliestOffered: EpochMs | null = null;

  /** Queues the waiting triggers of a job that was stored. */
  open(job: JobEntry): void {
    const { jobType, disallowConcurrentExecution } = job.detail;
    let queue = this.#queues.get(jobType);
    if (queue === undefined) {
      queue = new JobTypeQueue();
      this.#queues.set(jobType, queue);
    }
    queue.jobs += 1;
    job.queue = queue;
    job.turns = disallowConcurrentExecution ? new NonConcurrentQueue() : null;
    for (const entry of job.triggers.toArray()) {
      if (entry.state === 'WAITING') this.add(entry);
      else if (entry.state === 'ACQUIRED') job.turns?.acquired.add(entry);
    }
  }

  /** Removes what `open` queued. */
  close(job: JobEntry): void {
    for (const entry of job.triggers.toArray()) if (entry.state === 'WAITING') this.delete(entry);
    const { queue } = job;
    job.queue = null;
    job.turns = null;
    if (queue === null) return;
    queue.jobs -= 1;
    if (queue.jobs === 0) this.#queues.delete(job.detail.jobType);
  }

  add(entry: TriggerEntry): void {
    entry.job.queue?.add(entry);
    this.#note(entry);
  }

  delete(entry: TriggerEntry): void {
    entry.job.queue?.delete(entry);
  }

  /** To be called when a job starts or stops being blocked. */
  refresh(job: JobEntry): void {
    if (job.turns === null) return;
    job.queue?.refresh(job);
    const next = earlier(job.turns.ignoring, job.turns.due);
    if (next !== null) this.#note(next);
  }

  /** What may be acquired by a node that runs these job types. To be ended. */
  acquirable(jobTypes: readonly string[], misfireTime: EpochMs): DueCursor {
    const queues: JobTypeQueue[] = [];
    for (const jobType of new Set(jobTypes)) {
      const queue = this.#queues.get(jobType);
      if (queue === undefined) continue;
      queue.moveMisfireTime(misfireTime);
      if (queue.first() !== null) queues.push(queue);
    }
    return new DueCursor(queues);
  }

  /** The queues that hold misfired triggers. */
  misfiredQueues(misfireTime: EpochMs): readonly JobTypeQueue[] {
    for (const queue of this.#queues.values()) queue.moveMisfireTime(misfireTime);
    return [...this.#queues.values()].filter((queue) => queue.firstMisfired() !== null);
  }

  /** The earliest fire time that came within reach since this was asked last; null when none did. */
  takeEarliestOffered(): EpochMs | null {
    const earliest = this.#earliestOffered;
    this.#earliestOffered = null;
    return earliest;
  }

  #note({ trigger }: TriggerEntry): void {
    const time = trigger.nextFireTime;
    if (time !== null && (this.#earliestOffered === null || time < this.#earliestOffered)) this.#earliestOffered = time;
  }
}

/** Takes triggers out of the queue, in the order they fire, for one batch. */
export class DueCursor implements DueTriggers<TriggerEntry> {
  /** A heap of the queues that are not empty. */
  readonly #queues: JobTypeQueue[];
  readonly #held: JobEntry[] = [];

  constructor(queues: JobTypeQueue[]) {
    this.#queues = queues;
    heapify(queues, compareQueues);
  }

  takeDueBy(time: EpochMs): TriggerEntry | null {
    const entry = this.#queues[0]?.first() ?? null;
    if (entry === null || (entry.trigger.nextFireTime ?? 0) > time) return null;
    const { job } = entry;
    if (job.turns !== null) {
      job.turns.isHeld = true;
      this.#held.push(job);
    }
    job.queue?.delete(entry);
    this.#settleFirstLane();
    return entry;
  }

  /** Ends the batch: the jobs in it may be taken again. */
  end(): void {
    for (const job of this.#held) {
      if (job.turns !== null) job.turns.isHeld = false;
      job.queue?.refresh(job);
    }
  }

  #settleFirstLane(): void {
    const queues = this.#queues;
    if (queues[0]?.first() === null) {
      const last = queues.pop();
      if (last === undefined || queues.length === 0) return;
      queues[0] = last;
    }
    siftDown(queues, compareQueues, 0);
  }
}

function compareQueues(a: JobTypeQueue, b: JobTypeQueue): number {
  const [first, second] = [a.first(), b.first()];
  if (first === null || second === null) return first === second ? 0 : first === null ? 1 : -1;
  return compareDue(first.trigger, second.trigger);
}
