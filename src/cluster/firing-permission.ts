import { Gate } from '../base/gate';
import { compareClocks, isClockUnsafe, type ReadingTime } from '../domain/liveness';
import type { FencingReason } from '../domain/scheduler-event';
import type { NodesReading } from '../store/cluster-store';
import { Lease, type LeaseState } from './lease';
import type { NodeContext } from './node-hooks';

export interface FiringPermissionOptions {
  /** Returns the total time in milliseconds for which the machine has been suspended. */
  readonly suspendedTime: () => number;
  /** Returns true while the node stops. An expired lease is then not reported as a fencing. */
  readonly isStopping: () => boolean;
}

/** Decides from the lease and the clock whether this node may fire. Reports each change of the decision once. */
export class FiringPermission {
  readonly lease: Lease;
  readonly #context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>;
  readonly #isStopping: () => boolean;
  /** Open while this node holds its lease. During that time, no other node may take over its runs. */
  readonly #held = new Gate();
  #clockOffset = 0;
  #isClockUnsafe = false;
  #isFiringAllowed = false;
  #hasFired = false;
  #fencing: FencingReason | null = null;

  constructor(context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>, options: FiringPermissionOptions) {
    this.#context = context;
    this.#isStopping = options.isStopping;
    this.lease = new Lease(context.clock, (state) => this.#leaseChanged(state), options.suspendedTime);
  }

  get mayFire(): boolean {
    return this.lease.mayFire && !this.#isClockUnsafe;
  }

  /** True if firing has ever been allowed. */
  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** The store's clock minus this machine's wall clock, in milliseconds, as of the last reading. */
  get clockOffset(): number {
    return this.#clockOffset;
  }

  /** Resolves when this node holds its lease, or when `signal` aborts. */
  whenHeld(signal: AbortSignal): Promise<void> {
    return this.#held.whenOpen(signal);
  }

  /**
   * Compares this machine's clock with the store's. Must be called with every reading of the nodes. Only in a cluster with Java nodes, a difference
   * of more than 3 s stops this node from acquiring triggers.
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

  /** Revokes the lease, so that this node's runs no longer belong to it. Reports the fencing once per loss of the lease. */
  fence(reason: FencingReason): void {
    // If the lease expired and peers then took over, only the expiry is reported. A taken instance id always is.
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
    // While firing was forbidden, the scheduler's requests returned no triggers, so the trigger loop may sleep for a long time.
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
