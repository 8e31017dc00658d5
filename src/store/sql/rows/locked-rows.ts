import type { Clock } from '../../../base/clock';
import { formatKey, keyText, type TriggerKey } from '../../../domain/keys';

/** Milliseconds for which rows are looked at before they are written, after one was found locked. */
const SUSPICION = 60_000;

/** The same after a long wait, which is only a sign of a locked row. */
const FIRST_SUSPICION = 10_000;

/** Told of in that time: who locks more rows locks a whole table, and hears of it enough. */
const MOST_TOLD = 3;

/** Somebody who is no scheduler holds the rows of triggers: a forgotten transaction in a client, a long import. */
export class LockedByOthers extends Error {
  constructor(keys: readonly TriggerKey[]) {
    super(
      `Another session of the database holds a lock on the row of ${keys.map(formatKey).join(', ')}; ` +
        'it is passed over until that session commits. Look for its transaction in information_schema.INNODB_TRX.',
    );
    this.name = 'LockedByOthers';
  }
}

/**
 * Whether locks of strangers are to be reckoned with. Waiting for one, the cluster-wide lock in hand, stops all firing; looking
 * first costs a statement. So the first is waited for until the database gives up, and from then on the nodes look: the one that
 * waited, and those that meanwhile waited for the cluster-wide lock.
 */
export class LockedRows {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;
  #passedOver = 0;
  #told: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get areSuspected(): boolean {
    return this.#clock.monotonic() < this.#until;
  }

  /** How often a locked row was passed over: when it grows, what is due must be looked for again. */
  get passedOver(): number {
    return this.#passedOver;
  }

  /** There was a wait as long as one for a locked row. */
  suspect(): void {
    this.#suspectFor(FIRST_SUSPICION);
  }

  /** Whether to tell of one; each is told once, and not all if they are many. */
  isNews(key: TriggerKey): boolean {
    const text = keyText(key);
    if (this.#told.has(text) || this.#told.size >= MOST_TOLD) return false;
    this.#told = new Set([...this.#told, text]);
    return true;
  }

  passOver(): void {
    this.#suspectFor(SUSPICION);
    this.#passedOver++;
  }

  #suspectFor(duration: number): void {
    if (!this.areSuspected) this.#told = new Set();
    this.#until = Math.max(this.#until, this.#clock.monotonic() + duration);
  }
}
