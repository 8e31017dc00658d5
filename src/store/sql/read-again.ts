import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';

/** Delay before rows that another session had locked are read again, in milliseconds. */
const LOCKED_DELAY_MS = 1_000;

/** Announces a change after a second, because no event reports when another program unlocks a row. Calls in between share one announcement. */
export class ReadAgain {
  readonly #clock: Clock;
  readonly #closing: AbortSignal;
  readonly #announce: () => void;
  #willAnnounce = false;

  constructor(clock: Clock, closing: AbortSignal, announce: () => void) {
    this.#clock = clock;
    this.#closing = closing;
    this.#announce = announce;
  }

  async later(): Promise<void> {
    if (this.#willAnnounce) return;
    this.#willAnnounce = true;
    await sleepFor(this.#clock, LOCKED_DELAY_MS, this.#closing);
    this.#willAnnounce = false;
    this.#announce();
  }
}
