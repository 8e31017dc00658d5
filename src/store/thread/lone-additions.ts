import type { Clock, EpochMs } from '../../base/clock';
import { NEVER, sleepFor } from '../../base/sleep';
import type { ChangeSet } from '../../domain/schedule-change';
import type { AppliedSchedule, ApplyScheduleOptions, JobStore } from '../job-store';
import type { TransactionStore } from '../transaction-store';
import { forwarder, invoke } from './connection';

/** Number of lone additions in a row after which this thread opens a connection for them: most programs schedule rarely. */
const MIN_ADDITIONS = 20;

/** Maximum time between two additions in a row, in milliseconds. The store answers others: it rings to the other nodes within its transaction. */
const MAX_PAUSE_MS = 5;

/** Maximum number of changes that this thread stores. The store computes larger sets, so that this thread remains free. */
const MAX_CHANGES = 10;

/**
 * Sends the additions of a program that adds one job after another from the calling thread, because two messages between the threads cost a third of
 * such a call. Never used while another call waits for the store: calls keep their order, and many callers share transactions there.
 */
export class LoneAdditions {
  readonly #store: JobStore;
  readonly #transactions: Pick<TransactionStore, 'add'>;
  readonly #clock: Clock;
  #calls = 0;
  #additions = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  /** Earliest fire time of which the store is not notified yet. */
  #earliest: EpochMs | null = null;
  #notifiedAt = Number.NEGATIVE_INFINITY;
  /** Last addition from this thread. Every later call waits for it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: JobStore, transactions: Pick<TransactionStore, 'add'>, clock: Clock) {
    this.#store = store;
    this.#transactions = transactions;
    this.#clock = clock;
  }

  /** The store for calls of the program. */
  get store(): JobStore {
    const { description } = this.#store;
    return forwarder<JobStore>((method, args) => this.#inOrder(() => invoke(this.#store, method, args)), {
      description,
      applySchedule: (changes, options) => this.#apply(changes, options),
    });
  }

  async #apply(changes: ChangeSet, options: ApplyScheduleOptions): Promise<AppliedSchedule> {
    const isLone = this.#calls === 0 && !options.fireNow && changes.length <= MAX_CHANGES;
    const isInRow = this.#clock.monotonic() - this.#lastEnd <= MAX_PAUSE_MS;
    this.#additions = isLone && isInRow ? this.#additions + 1 : 0;
    if (this.#additions === MIN_ADDITIONS) void this.#open();
    const isDirect = this.#additions >= MIN_ADDITIONS && this.#isOpen;
    const added = isDirect ? await this.#add(changes, options) : null;
    if (isDirect && added === null) this.#additions = 0; // the next ones are probably refused, too
    const applied = added ?? (await this.#inOrder(() => this.#store.applySchedule(changes, options)));
    this.#lastEnd = this.#clock.monotonic();
    return applied;
  }

  async #add(changes: ChangeSet, options: ApplyScheduleOptions): Promise<AppliedSchedule | null> {
    this.#calls++;
    const adding = this.#transactions.add(changes, options);
    this.#last = adding.catch(() => undefined);
    try {
      const added = await adding;
      if (added === null) return null;
      const { earliest = null, outcomes } = added;
      if (earliest !== null) void this.#notify(earliest);
      return { outcomes, fired: [] };
    } catch (error) {
      this.#isOpen = false;
      throw error;
    } finally {
      this.#calls--;
    }
  }

  /** Notifies the store, which wakes this node and the others. Together if several follow within `MAX_PAUSE_MS`; the nodes poll in any case. */
  async #notify(earliest: EpochMs): Promise<void> {
    const isFirst = this.#earliest === null;
    this.#earliest = Math.min(earliest, this.#earliest ?? earliest);
    if (!isFirst) return;
    await sleepFor(this.#clock, this.#notifiedAt + MAX_PAUSE_MS - this.#clock.monotonic(), NEVER);
    const changed = this.#store.changedElsewhere([], this.#earliest);
    this.#earliest = null;
    this.#notifiedAt = this.#clock.monotonic();
    await changed.catch(() => undefined);
  }

  async #inOrder<T>(call: () => T): Promise<Awaited<T>> {
    this.#calls++;
    try {
      await this.#last;
      return await call();
    } finally {
      this.#calls--;
    }
  }

  async #open(): Promise<void> {
    this.#isOpen = await this.#transactions.add([], { now: 0, misfireThreshold: 0 }).then(
      () => true,
      () => false,
    );
  }
}
