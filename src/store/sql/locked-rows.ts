import type { Clock } from '../../base/clock';
import { formatKey, type TriggerKey } from '../../domain/keys';

/** Milliseconds for which rows are looked at before they are written, after one was found locked. */
const SUSPICION = 60_000;

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
 * first costs a statement. So the first is waited for until the database gives up, and from then on everybody looks.
 */
export class LockedRows {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;
  #passedOver = 0;

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

  /** A row was found locked. */
  suspect(): void {
    this.#until = this.#clock.monotonic() + SUSPICION;
  }

  passOver(): void {
    this.suspect();
    this.#passedOver++;
  }
}
