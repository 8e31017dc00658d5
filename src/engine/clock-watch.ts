import type { Clock } from '../base/clock';

/** A smaller difference is a slewed clock or a rounded one. */
const STEP_TOLERANCE_MS = 500;

/** Notices when the wall clock was stepped, by comparing it with the monotonic one. */
export class ClockWatch {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = this.#read();
  }

  /** How far the wall clock was stepped since the last call, in milliseconds; 0 when it was not. */
  check(): number {
    const offset = this.#read();
    const step = Math.round(offset - this.#offset);
    this.#offset = offset;
    return Math.abs(step) > STEP_TOLERANCE_MS ? step : 0;
  }

  #read(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
