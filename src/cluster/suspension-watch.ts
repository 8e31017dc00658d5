import type { Lease } from './lease';

/** A shorter one changes nothing that matters. Milliseconds. */
const TOLERANCE = 500;

/**
 * Notices that the machine was suspended: its monotonic clock stood still, by which the lease is timed, while its peers' went on. What
 * they may have taken over meanwhile is aborted here before the next check-in asks.
 */
export class SuspensionWatch {
  readonly #lease: Pick<Lease, 'shorten'>;
  readonly #suspendedTime: () => number;
  #seen: number;

  /** `suspendedTime`: for how long the machine has been suspended in all, in milliseconds. */
  constructor(lease: Pick<Lease, 'shorten'>, suspendedTime: () => number) {
    this.#lease = lease;
    this.#suspendedTime = suspendedTime;
    this.#seen = suspendedTime();
  }

  look(): void {
    const total = this.#suspendedTime();
    const duration = total - this.#seen;
    if (Math.abs(duration) < TOLERANCE) return;
    this.#seen = total;
    if (duration > 0) this.#lease.shorten(duration);
  }
}
