import type { EpochMs } from '../../base/clock';
import { compareDue, type DueTriggers } from '../../domain/acquisition';
import type { JobEntry, TriggerEntry } from './entries';
import { heapify, siftDown } from './heap';
import { earlier, JobTurns } from './job-turns';
import { Lane } from './lane';

/** All waiting triggers, in the order they fire, by job type. */
export class DueQueue {
  readonly #lanes = new Map<string, Lane>();
  #earliestOffered: EpochMs | null = null;

  /** Queues the waiting triggers of a job that was stored. */
  open(job: JobEntry): void {
    const { jobType, disallowConcurrentExecution } = job.detail;
    let lane = this.#lanes.get(jobType);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(jobType, lane);
    }
    lane.jobs += 1;
    job.lane = lane;
    job.turns = disallowConcurrentExecution ? new JobTurns() : null;
    for (const entry of job.triggers.toArray()) {
      if (entry.state === 'WAITING') this.add(entry);
      else if (entry.state === 'ACQUIRED') job.turns?.acquired.add(entry);
    }
  }

  /** Removes what `open` queued. */
  close(job: JobEntry): void {
    for (const entry of job.triggers.toArray()) if (entry.state === 'WAITING') this.delete(entry);
    const { lane } = job;
    job.lane = null;
    job.turns = null;
    if (lane === null) return;
    lane.jobs -= 1;
    if (lane.jobs === 0) this.#lanes.delete(job.detail.jobType);
  }

  add(entry: TriggerEntry): void {
    entry.job.lane?.add(entry);
    this.#note(entry);
  }

  delete(entry: TriggerEntry): void {
    entry.job.lane?.delete(entry);
  }

  /** To be called when a job starts or stops being blocked. */
  refresh(job: JobEntry): void {
    if (job.turns === null) return;
    job.lane?.refresh(job);
    const next = earlier(job.turns.ignoring, job.turns.due);
    if (next !== null) this.#note(next);
  }

  /** What may be acquired by a node that runs these job types. To be ended. */
  acquirable(jobTypes: readonly string[], misfireTime: EpochMs): DueCursor {
    const lanes: Lane[] = [];
    for (const jobType of new Set(jobTypes)) {
      const lane = this.#lanes.get(jobType);
      if (lane === undefined) continue;
      lane.moveMisfireTime(misfireTime);
      if (lane.first() !== null) lanes.push(lane);
    }
    return new DueCursor(lanes);
  }

  /** The lanes that hold misfired triggers. */
  misfiredLanes(misfireTime: EpochMs): readonly Lane[] {
    for (const lane of this.#lanes.values()) lane.moveMisfireTime(misfireTime);
    return [...this.#lanes.values()].filter((lane) => lane.firstMisfired() !== null);
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
  /** A heap of the lanes that are not empty. */
  readonly #lanes: Lane[];
  readonly #held: JobEntry[] = [];

  constructor(lanes: Lane[]) {
    this.#lanes = lanes;
    heapify(lanes, compareLanes);
  }

  takeDueBy(time: EpochMs): TriggerEntry | null {
    const entry = this.#lanes[0]?.first() ?? null;
    if (entry === null || (entry.trigger.nextFireTime ?? 0) > time) return null;
    const { job } = entry;
    if (job.turns !== null) {
      job.turns.isHeld = true;
      this.#held.push(job);
    }
    job.lane?.delete(entry);
    this.#settleFirstLane();
    return entry;
  }

  /** Ends the batch: the jobs in it may be taken again. */
  end(): void {
    for (const job of this.#held) {
      if (job.turns !== null) job.turns.isHeld = false;
      job.lane?.refresh(job);
    }
  }

  #settleFirstLane(): void {
    const lanes = this.#lanes;
    if (lanes[0]?.first() === null) {
      const last = lanes.pop();
      if (last === undefined || lanes.length === 0) return;
      lanes[0] = last;
    }
    siftDown(lanes, compareLanes, 0);
  }
}

function compareLanes(a: Lane, b: Lane): number {
  const [first, second] = [a.first(), b.first()];
  if (first === null || second === null) return first === second ? 0 : first === null ? 1 : -1;
  return compareDue(first.trigger, second.trigger);
}
