import { Gate } from '../base/gate';
import { compareClocks, isClockUnsafe, type ReadingTime } from '../domain/liveness';
import type { FencingReason } from '../domain/scheduler-event';
import type { NodesReading } from '../store/cluster-store';
import { Lease, type LeaseState } from './lease';
import type { NodeContext } from './node-hooks';

export interface FiringPermissionOptions {
  /** For how long the machine has been suspended in all. Milliseconds. */
  readonly suspendedTime: () => number;
  /** Whether the node stops by itself: then the end of its lease is not reported. */
  readonly isStopping: () => boolean;
}

/** What a node may do, as its lease and its clock allow; reports each change to the scheduler once. */
export class FiringPermission {
  readonly lease: Lease;
  readonly #context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>;
  readonly #isStopping: () => boolean;
  /** Open while nobody may take over what runs here. */
  readonly #held = new Gate();
  #clockOffset = 0;
  #isClockUnsafe = false;
  /** What was reported last. */
  #isFiringAllowed = false;
  #hasFired = false;
  #fencing: FencingReason | null = null;

  constructor(context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>, options: FiringPermissionOptions) {
    this.#context = context;
    this.#isStopping = options.isStopping;
    this.lease = new Lease(context.clock, (state) => this.#leaseChanged(state), options.suspendedTime);
  }

  /** Whether triggers may be acquired and fired here at this moment. */
  get mayFire(): boolean {
    return this.lease.mayFire && !this.#isClockUnsafe;
  }

  /** Whether firing was ever allowed. */
  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** The store's clock minus this machine's, as it was read last. Milliseconds. */
  get clockOffset(): number {
    return this.#clockOffset;
  }

  /** Resolves while nobody may take over what runs here, or when `signal` aborts. */
  whenHeld(signal: AbortSignal): Promise<void> {
    return this.#held.whenOpen(signal);
  }

  /**
   * Compares this machine's clock with the store's, at every reading of the nodes. Among our own nodes a difference matters little;
   * beside Java nodes a large one keeps this node from acquiring.
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

  /** Gives up the lease: what runs here is not this node's any more. */
  fence(reason: FencingReason): void {
    // That its peers took over what it held while its lease was over is no second fencing.
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
    // What the scheduler asked for meanwhile was answered with nothing, and it may sleep on that for long.
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
