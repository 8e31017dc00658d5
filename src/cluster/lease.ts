import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { type CheckInPace, type LeaseTerm, leaseTerm } from '../domain/liveness';

/** `firing`: everything is allowed. `held`: what runs may go on. `lost`: peers may take over at any moment. */
export type LeaseState = 'firing' | 'held' | 'lost';

export interface LeaseParts {
  readonly clock: Clock;
  /** Hears of every change of the state, at the moment it happens or as soon as the process runs again. */
  readonly onChange: (state: LeaseState) => void;
}

/** While the lease is lost, how soon the watch looks again; a renewal is told at once. Milliseconds. */
const LOST_INTERVAL = 250;

/**
 * What a successful check-in grants, for a while of monotonic time. Ask it right before acting: a process that was
 * stopped finds its lease over in the first moment it runs again, before any timer has told it.
 */
export class Lease {
  /** Tells of the changes that time brings. */
  readonly watch: LoopService;
  readonly #parts: LeaseParts;
  readonly #renewed: WakeSignal;
  #term: LeaseTerm | null = null;
  #told: LeaseState = 'lost';

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#renewed = new WakeSignal(parts.clock);
    this.watch = new LoopService('lease watch', (signal) => this.#watch(signal));
  }

  get state(): LeaseState {
    const now = this.#parts.clock.monotonic();
    if (this.#term === null || now >= this.#term.heldUntil) return 'lost';
    return now < this.#term.firingUntil ? 'firing' : 'held';
  }

  get mayFire(): boolean {
    return this.state === 'firing';
  }

  /** The state, of which everybody has been told then: who waits for another one has not missed it. */
  look(): LeaseState {
    this.#tell();
    return this.#told;
  }

  /** A check-in that was sent at `startedAt`, monotonic, has succeeded. That the lease was over until then is told first. */
  renew(startedAt: number, pace: CheckInPace): void {
    // After a stop of the process the check-in's timer may fire before the watch's.
    this.#tell();
    this.#term = leaseTerm(startedAt, pace);
    this.#tell();
    this.#renewed.notify(null); // it may end sooner than the one before: beside a Java node
  }

  /** The machine was suspended for so long, which its monotonic clock does not know: the lease ends earlier by that. Milliseconds. */
  shorten(duration: number): void {
    if (this.#term === null) return;
    const { firingUntil, heldUntil } = this.#term;
    this.#term = { firingUntil: firingUntil - duration, heldUntil: heldUntil - duration };
    this.#tell();
  }

  /** Over at once, whatever time was left. */
  revoke(): void {
    this.#term = null;
    this.#tell();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#renewed.clear();
      this.#tell();
      await this.#renewed.waitFor(this.#untilNextChange(), signal);
    }
  }

  #untilNextChange(): number {
    const { clock } = this.#parts;
    if (this.#term === null) return LOST_INTERVAL;
    const { firingUntil, heldUntil } = this.#term;
    const now = clock.monotonic();
    const next = [firingUntil, heldUntil].find((time) => time > now);
    return next === undefined ? LOST_INTERVAL : next - now;
  }

  #tell(): void {
    const { state } = this;
    if (state === this.#told) return;
    this.#told = state;
    this.#parts.onChange(state);
  }
}
