import type { EpochMs } from '../../../base/clock';
import type { NodeTransactions } from '../rows/node-transaction';
import { wakeAgain, wakeMissed } from './waiters';

/** Wakes triggers that wait for limits. Repeats what failed until the database answers: no other call would wake these triggers soon. */
export class RepeatedWakes {
  readonly #transactions: NodeTransactions;
  readonly #announce: (earliest: EpochMs | undefined) => void;
  #isWaking = false;

  /** `announce` is called with the earliest fire time of the triggers that were woken; undefined if there are none. */
  constructor(transactions: NodeTransactions, announce: (earliest: EpochMs | undefined) => void) {
    this.#transactions = transactions;
    this.#announce = announce;
  }

  /** Wakes triggers that this node has just blocked, if another transaction freed capacity at the same time. Never rejects: firings are stored already. */
  async missed(): Promise<void> {
    await wakeMissed(this.#transactions).then(this.#announce, () => this.again());
  }

  /** Begins to repeat a wake that failed. */
  again(): void {
    if (!this.#transactions.node.limits.mustWakeAgain || this.#isWaking) return;
    this.#isWaking = true;
    const waking = this.#transactions.plain.untilDone(async () => this.#announce(await wakeAgain(this.#transactions)));
    void waking.finally(() => {
      this.#isWaking = false;
    });
  }
}
