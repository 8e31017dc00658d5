import { ManualClock } from '../../src/base/manual-clock';

/** A clock that advances by `tick` at each reading. */
export class SlowClock extends ManualClock {
  /** Time from one reading of the clock to the next. Milliseconds. */
  tick = 0;
  #ticked = 0;

  override monotonic(): number {
    this.#ticked += this.tick;
    return super.monotonic() + this.#ticked;
  }
}
