import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { type CheckInPace, type LeaseTerm, leaseTerm } from '../domain/liveness';

/** `firing`: everything is allowed. `held`: what runs may go on. `lost`: peers may take over at any moment. */
export type LeaseState = 'firing' | 'held' | 'lost';

/** While the lease is lost, the interval of the watch; a renewal ends the wait. */
const LOST_INTERVAL_MS = 250;

/** A shorter suspension changes nothing that matters. */
const SUSPENSION_TOLERANCE_MS = 500;

/**
 * What a successful check-in grants, for a while of monotonic time. Read its state right before acting: a process that was
 * stopped finds its lease over in the first moment it runs again, before any timer has reported it.
 */
export class Lease {
  /** Reports the changes that time brings. */
  readonly watch = new LoopService('lease watch', (signal) => this.#watch(signal));
  readonly #clock: Clock;
  readonly #onChange: (state: LeaseState) => void;
  readonly #suspendedTime: () => number;
  readonly #renewed: WakeSignal;
  #term: LeaseTerm | null = null;
  #reported: LeaseState = 'lost';
  #suspendedMs: number;

  /**
   * `onChange` gets every change of the state, at the moment it happens or as soon as the process runs again. `suspendedTime`: for how
   * long the machine has been suspended in all, in milliseconds.
   */
  constructor(clock: Clock, onChange: (state: LeaseState) => void, suspendedTime: () => number = () => 0) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#suspendedTime = suspendedTime;
    this.#suspendedMs = suspendedTime();
    this.#renewed = new WakeSignal(clock);
  }

  get state(): LeaseState {
    const now = this.#clock.monotonic();
    if (this.#term === null || now >= this.#term.heldUntil) return 'lost';
    return now < this.#term.firingUntil ? 'firing' : 'held';
  }

  get mayFire(): boolean {
    return this.state === 'firing';
  }

  /** The state, after it was reported: who waits for another one has not missed it. */
  check(): LeaseState {
    this.#report();
    return this.#reported;
  }

  /** A check-in that was sent at `startedAt`, monotonic, has succeeded. That the lease was over until then is reported first. */
  renew(startedAt: number, pace: CheckInPace): void {
    // After a stop of the process the check-in's timer may fire before the watch's.
    this.#report();
    this.#term = leaseTerm(startedAt, pace);
    this.#report();
    this.#renewed.notify(null); // it may end sooner than the one before: beside a Java node
  }

  /**
   * While a machine is suspended its monotonic clock, by which the lease is timed, stands still, and that of its peers goes on: the
   * lease ends earlier by that, so that what they may have taken over is aborted before the next check-in.
   */
  subtractSuspension(): void {
    const suspendedMs = this.#suspendedTime();
    const durationMs = suspendedMs - this.#suspendedMs;
    if (Math.abs(durationMs) < SUSPENSION_TOLERANCE_MS) return;
    this.#suspendedMs = suspendedMs;
    if (durationMs < 0 || this.#term === null) return;
    const { firingUntil, heldUntil } = this.#term;
    this.#term = { firingUntil: firingUntil - durationMs, heldUntil: heldUntil - durationMs };
    this.#report();
  }

  /** Over at once, whatever time was left. */
  revoke(): void {
    this.#term = null;
    this.#report();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#renewed.clear();
      this.#report();
      await this.#renewed.waitFor(this.#untilNextChange(), signal);
    }
  }

  #untilNextChange(): number {
    const now = this.#clock.monotonic();
    const { firingUntil, heldUntil } = this.#term ?? { firingUntil: now, heldUntil: now };
    const next = [firingUntil, heldUntil].find((time) => time > now);
    return next === undefined ? LOST_INTERVAL_MS : next - now;
  }

  #report(): void {
    const { state } = this;
    if (state === this.#reported) return;
    this.#reported = state;
    this.#onChange(state);
  }
}
