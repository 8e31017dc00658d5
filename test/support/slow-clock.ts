import { ManualClock } from '../../src/base/manual-clock';

/** A clock by which everything takes as long as a test sets. */
export class SlowClock extends ManualClock {
  /** From one reading of the clock to the next. Milliseconds. */
  tick = 0;
  #ticked = 0;

  override monotonic(): number {
    this.#ticked += this.tick;
    return super.monotonic() + this.#ticked;
  }
}
