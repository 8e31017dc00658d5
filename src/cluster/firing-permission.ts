import { Gate } from '../base/gate';
import { compareClocks, isClockUnsafe, type ReadingTime } from '../domain/liveness';
import type { FencingReason } from '../domain/scheduler-event';
import type { NodesReading } from '../store/cluster-store';
import { Lease, type LeaseState } from './lease';
import type { NodeContext } from './node-hooks';

export interface FiringPermissionOptions {
  /** Returns for how many milliseconds the machine has been suspended in total. */
  readonly suspendedTime: () => number;
  /** Returns true while the node stops. The end of its lease is then not reported. */
  readonly isStopping: () => boolean;
}

/** Derives from the lease and the clock whether a node may fire. Reports each change to the scheduler once. */
export class FiringPermission {
  readonly lease: Lease;
  readonly #context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>;
  readonly #isStopping: () => boolean;
  /** Open while no other node may take over the runs of this one. */
  readonly #held = new Gate();
  #clockOffset = 0;
  #isClockUnsafe = false;
  /** Last value reported to `firingAllowed`. */
  #isFiringAllowed = false;
  #hasFired = false;
  #fencing: FencingReason | null = null;

  constructor(context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>, options: FiringPermissionOptions) {
    this.#context = context;
    this.#isStopping = options.isStopping;
    this.lease = new Lease(context.clock, (state) => this.#leaseChanged(state), options.suspendedTime);
  }

  /** True if triggers may be acquired and fired here now. */
  get mayFire(): boolean {
    return this.lease.mayFire && !this.#isClockUnsafe;
  }

  /** True once firing has been allowed. */
  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** Difference between the store's clock and this machine's in milliseconds, as of the last reading. */
  get clockOffset(): number {
    return this.#clockOffset;
  }

  /** Resolves while no other node may take over the runs of this one, or when `signal` aborts. */
  whenHeld(signal: AbortSignal): Promise<void> {
    return this.#held.whenOpen(signal);
  }

  /**
   * Compares this machine's clock with the store's at every reading of the nodes. In a cluster with Java nodes, a large
   * difference keeps this node from acquiring triggers. Otherwise it matters little.
   */
  judgeClock({ now, nodes }: NodesReading, time: ReadingTime): void {
    const { clock, hooks, identity } = this.#context;
    const comparison = compareClocks(now, clock.now() - (clock.monotonic() - time.endedAt), time);
    this.#clockOffset = comparison.offset;
    const hasJavaNode = nodes.some(({ epoch }) => epoch === null);
    const isUnsafe = hasJavaNode && isClockUnsafe(this.#isClockUnsafe, comparison);
    if (isUnsafe === this.#isClockUnsafe) return;
    this.#isClockUnsafe = isUnsafe;
    const type = isUnsafe ? 'clockUnsafe' : 'clockSafe';
    hooks.publish({ type, at: clock.now(), instanceId: identity().instanceId, clockOffset: this.#clockOffset });
    this.#reportFiringAllowed();
  }

  /** Revokes the lease: runs of this node no longer belong to it. */
  fence(reason: FencingReason): void {
    // A takeover by peers after the lease has expired is not reported as a second fencing.
    if (this.#fencing === null || (reason === 'instanceIdTaken' && this.#fencing !== reason))
      this.#reportFenced(reason);
    this.lease.revoke();
  }

  #leaseChanged(state: LeaseState): void {
    if (state === 'lost') this.#held.close();
    else this.#held.open();
    if (state === 'firing') this.#fencing = null;
    this.#reportFiringAllowed();
    if (state === 'lost' && this.#fencing === null && !this.#isStopping()) this.#reportFenced('leaseExpired');
  }

  #reportFiringAllowed(): void {
    const { hooks } = this.#context;
    const isAllowed = this.mayFire;
    if (isAllowed === this.#isFiringAllowed) return;
    this.#isFiringAllowed = isAllowed;
    hooks.firingAllowed(isAllowed);
    // Requests of the scheduler were answered with nothing while firing was forbidden, so it may be asleep for long.
    if (isAllowed && this.#hasFired) hooks.scheduleChanged(null);
    this.#hasFired ||= isAllowed;
  }

  #reportFenced(reason: FencingReason): void {
    const { hooks, clock, identity } = this.#context;
    this.#fencing = reason;
    hooks.publish({ type: 'nodeFenced', at: clock.now(), instanceId: identity().instanceId, reason });
    hooks.leaseLost(reason);
  }
}
