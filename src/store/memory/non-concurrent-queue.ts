import type { EpochMs } from '../../base/clock';
import { compareDue } from '../../domain/acquisition';
import { ignoresMisfires } from '../../domain/misfire';
import { DueList } from './due-list';
import type { TriggerEntry } from './entries';

/**
 * The waiting triggers of a job that disallows concurrent execution. Only the one whose turn it is stands in the queue,
 * so that a firing of the job costs the same whether it has one trigger or 200,000.
 */
export class NonConcurrentQueue {
  /** Triggers of the job that are reserved. */
  readonly acquired = new Set<TriggerEntry>();
  /** What stands in each list of the queue for the job: the first of its kind. */
  ignoring: TriggerEntry | null = null;
  due: TriggerEntry | null = null;
  misfired: TriggerEntry | null = null;
  /** One of its triggers is in the batch that is being taken, so no other may be. */
  isHeld = false;

  readonly #ignoring = new DueList();
  readonly #others = new DueList();

  add(entry: TriggerEntry): void {
    this.#listOf(entry).add(entry);
  }

  delete(entry: TriggerEntry): void {
    this.#listOf(entry).delete(entry);
  }

  firstIgnoring(): TriggerEntry | null {
    return this.#ignoring.first();
  }

  /** The first that is not older than `misfireTime`. */
  firstDue(misfireTime: EpochMs): TriggerEntry | null {
    return this.#others.firstFrom(misfireTime);
  }

  firstMisfired(misfireTime: EpochMs): TriggerEntry | null {
    const first = this.#others.first();
    return first !== null && (first.trigger.nextFireTime ?? 0) < misfireTime ? first : null;
  }

  *[Symbol.iterator](): Iterator<TriggerEntry> {
    yield* this.#ignoring;
    yield* this.#others;
  }

  #listOf(entry: TriggerEntry): DueList {
    return ignoresMisfires(entry.trigger) ? this.#ignoring : this.#others;
  }
}

/** The one that fires first. */
export function earlier(a: TriggerEntry | null, b: TriggerEntry | null): TriggerEntry | null {
  if (a === null || b === null) return a ?? b;
  return compareDue(a.trigger, b.trigger) <= 0 ? a : b;
}
