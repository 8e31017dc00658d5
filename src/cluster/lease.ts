import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { type CheckInPace, type LeaseTerm, leaseTerm } from '../domain/liveness';

/** `firing`: the node may fire triggers and run jobs. `held`: only running jobs may continue. `lost`: peers may take over its runs at any time. */
export type LeaseState = 'firing' | 'held' | 'lost';

/** Interval between checks while the lease is lost. A renewal ends the wait early. */
const LOST_INTERVAL_MS = 250;

/** Suspensions shorter than this are ignored. */
const SUSPENSION_TOLERANCE_MS = 500;

/**
 * Permission to fire, granted by a successful check-in for a limited monotonic time. Read `state` immediately before
 * acting: after a suspension of the process, the lease may have expired before any timer has reported it.
 */
export class Lease {
  /** Service that reports the state changes caused by the passage of time. */
  readonly watch = new LoopService('lease watch', (signal) => this.#watch(signal));
  readonly #clock: Clock;
  readonly #onChange: (state: LeaseState) => void;
  readonly #suspendedTime: () => number;
  readonly #renewed: WakeSignal;
  #term: LeaseTerm | null = null;
  #reported: LeaseState = 'lost';
  #suspendedMs: number;

  /** `onChange`: called with each new state, late if the process was suspended. `suspendedTime`: total suspension of the machine in milliseconds. */
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

  /** Returns the state, after reporting it if it has changed: `onChange` has then been called for every change up to now. */
  check(): LeaseState {
    this.#report();
    return this.#reported;
  }

  /** Renews the lease after a check-in sent at the monotonic time `startedAt`. If the lease expired before, reports the expiry first. */
  renew(startedAt: number, pace: CheckInPace): void {
    // After a suspension of the process, the check-in may complete before the watch's timer fires.
    this.#report();
    this.#term = leaseTerm(startedAt, pace);
    this.#report();
    this.#renewed.notify(null); // wakes the watch: if Java nodes take part, the new term may end before the old one
  }

  /**
   * Shortens the lease by the time for which the machine was suspended. This machine's monotonic clock stops during a suspension, while the clocks of
   * the peers continue. Runs that a peer may have taken over are thus aborted before the next check-in.
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
