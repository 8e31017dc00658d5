import type { EpochMs } from '../../base/clock';
import { ignoresMisfires } from '../../domain/misfire';
import { DueList } from './due-list';
import type { JobEntry, TriggerEntry } from './entries';
import { earlier } from './non-concurrent-queue';

/**
 * The waiting triggers of one job type, so that those of a type nobody here can run delay nothing. The misfired stand
 * apart from the due ones; a trigger changes over once, when time passes it by, and is never looked at again for it.
 */
export class JobTypeQueue {
  /** Stored jobs of this type. */
  jobs = 0;

  readonly #ignoring = new DueList();
  readonly #due = new DueList();
  readonly #misfired = new DueList();
  #misfireTime: EpochMs = Number.NEGATIVE_INFINITY;

  /** The first trigger that may be acquired. */
  first(): TriggerEntry | null {
    return earlier(this.#ignoring.first(), this.#due.first());
  }

  firstMisfired(): TriggerEntry | null {
    return this.#misfired.first();
  }

  /** What is older than this counts as misfired from now on. */
  moveMisfireTime(time: EpochMs): void {
    if (time > this.#misfireTime) this.#advance(time);
    else if (time < this.#misfireTime) this.#retreat(time);
  }

  add(entry: TriggerEntry): void {
    const { turns } = entry.job;
    if (turns === null) {
      this.#listOf(entry).add(entry);
      return;
    }
    turns.add(entry);
    this.refresh(entry.job);
  }

  delete(entry: TriggerEntry): void {
    const { turns } = entry.job;
    if (turns === null) {
      this.#listOf(entry).delete(entry);
      return;
    }
    turns.delete(entry);
    this.refresh(entry.job);
  }

  /** Decides anew which triggers of a job that disallows concurrent execution stand in the queue. */
  refresh({ turns, executing }: JobEntry): void {
    if (turns === null) return;
    const isBlocked = executing > 0;
    const isOffered = !isBlocked && !turns.isHeld;
    turns.ignoring = swap(this.#ignoring, turns.ignoring, isOffered ? turns.firstIgnoring() : null);
    turns.due = swap(this.#due, turns.due, isOffered ? turns.firstDue(this.#misfireTime) : null);
    turns.misfired = swap(this.#misfired, turns.misfired, isBlocked ? null : turns.firstMisfired(this.#misfireTime));
  }

  #advance(time: EpochMs): void {
    this.#misfireTime = time;
    let entry = this.#due.first();
    while (entry !== null && (entry.trigger.nextFireTime ?? 0) < time) {
      this.#refile(entry, this.#due);
      entry = this.#due.first();
    }
  }

  /** The clock was set back: rare, so all that misfired is filed again. */
  #retreat(time: EpochMs): void {
    const entries = [...this.#misfired];
    this.#misfireTime = time;
    for (const entry of entries) this.#refile(entry, this.#misfired);
  }

  /** Puts an entry of the queue where it belongs now that the misfire time has moved. */
  #refile(entry: TriggerEntry, from: DueList): void {
    if (entry.job.turns !== null) {
      this.refresh(entry.job);
      return;
    }
    from.delete(entry);
    this.#listOf(entry).add(entry);
  }

  #listOf({ trigger }: TriggerEntry): DueList {
    if (ignoresMisfires(trigger)) return this.#ignoring;
    return (trigger.nextFireTime ?? 0) < this.#misfireTime ? this.#misfired : this.#due;
  }
}

function swap(list: DueList, before: TriggerEntry | null, after: TriggerEntry | null): TriggerEntry | null {
  if (before === after) return after;
  if (before !== null) list.delete(before);
  if (after !== null) list.add(after);
  return after;
}
