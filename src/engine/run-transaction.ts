import { SchedulerStateError } from '../base/errors';
import type { EndedInTransaction } from '../store/transaction-store';

/** The end of a run, as its own transaction has stored it. */
export type StoredEnd = Pick<EndedInTransaction<unknown>, 'completion' | 'outcome'>;

/** The transactions of one run, one after the other: the first that commits ends the run. */
export class RunTransaction {
  /** Settles with the last one, and never rejects. */
  #settled: Promise<void> = Promise.resolve();
  #isRunning = false;
  #storedEnd: StoredEnd | null = null;

  /** Throws SCHEDULER_STATE while another one runs, and after one has ended the run. */
  async run<T>(transact: () => Promise<EndedInTransaction<T>>): Promise<T> {
    if (this.#isRunning) throw new SchedulerStateError('The transaction of this run has not ended yet: await it.');
    if (this.#storedEnd !== null) throw hasEnded();
    this.#isRunning = true;
    const running = transact();
    const settle = (ended: StoredEnd | null) => {
      this.#storedEnd = ended;
      this.#isRunning = false;
    };
    this.#settled = running.then(settle, () => settle(null));
    await this.#settled;
    return (await running).answer;
  }

  /** The end that was stored; null: none was. Waits for one that runs, unless the run is cut off. */
  async storedEnd(isCutOff: boolean): Promise<StoredEnd | null> {
    if (!isCutOff) await this.#settled;
    return this.#storedEnd;
  }
}

export function hasEnded(): SchedulerStateError {
  return new SchedulerStateError('This run has ended: what it stores with its end, it stores in one transaction.');
}

export function needsDatabase(): SchedulerStateError {
  return new SchedulerStateError(
    'Expected a job store in a database for context.transaction, found one in memory, which takes part in no transaction.',
  );
}
