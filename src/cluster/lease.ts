import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { type CheckInPace, type LeaseTerm, leaseTerm } from '../domain/liveness';

/** `firing`: the node may fire and run. `held`: running jobs may continue. `lost`: peers may take over at any time. */
export type LeaseState = 'firing' | 'held' | 'lost';

/** Interval of the watch while the lease is lost. A renewal ends the wait. */
const LOST_INTERVAL_MS = 250;

/** Shorter suspensions are ignored. */
const SUSPENSION_TOLERANCE_MS = 500;

/**
 * The permission that a successful check-in grants for a period of monotonic time. Read the state right before acting:
 * after a suspension of the process, the lease may have expired before any timer has reported it.
 */
export class Lease {
  /** Reports the state changes that time causes. */
  readonly watch = new LoopService('lease watch', (signal) => this.#watch(signal));
  readonly #clock: Clock;
  readonly #onChange: (state: LeaseState) => void;
  readonly #suspendedTime: () => number;
  readonly #renewed: WakeSignal;
  #term: LeaseTerm | null = null;
  #reported: LeaseState = 'lost';
  #suspendedMs: number;

  /**
   * Calls `onChange` with every change of the state, when it happens or as soon as the process continues.
   * `suspendedTime` returns for how many milliseconds the machine has been suspended in total.
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

  /** Reports the state if it has changed, and returns it. Code that waits for another state has then not missed it. */
  check(): LeaseState {
    this.#report();
    return this.#reported;
  }

  /**
   * Renews the lease after a successful check-in that was sent at `startedAt`, in monotonic time. Reports first if the
   * lease had expired by then.
   */
  renew(startedAt: number, pace: CheckInPace): void {
    // After a suspension of the process, the check-in's timer may fire before the watch's.
    this.#report();
    this.#term = leaseTerm(startedAt, pace);
    this.#report();
    this.#renewed.notify(null); // with Java nodes, the new term may be shorter
  }

  /**
   * Shortens the lease by the time for which the machine was suspended. The monotonic clock that times the lease stands
   * still during a suspension, but the clocks of the peers do not. Runs that they may have taken over are thus aborted
   * before the next check-in.
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

  /** Ends the lease immediately. */
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
