import type { Clock } from '../base/clock';
import { Gate } from '../base/gate';
import type { FencingReason } from '../domain/scheduler-event';
import type { ClockGuard } from './clock-guard';
import type { Lease, LeaseState } from './lease';
import type { NodeHooks } from './node-hooks';

export interface StandingParts {
  readonly instanceId: string;
  readonly clock: Clock;
  readonly hooks: Pick<NodeHooks, 'publish' | 'firingAllowed' | 'leaseLost' | 'scheduleChanged'>;
  readonly lease: Pick<Lease, 'mayFire' | 'revoke'>;
  readonly clockGuard: Pick<ClockGuard, 'isUnsafe'>;
}

/** What a node may do, as its lease and its clock allow, and how the scheduler that it belongs to hears of that: each change once. */
export class Standing {
  readonly #parts: StandingParts;
  /** Open while nobody may take over what runs here. */
  readonly #held = new Gate();
  /** What was told last. */
  #isFiringAllowed = false;
  #hasFired = false;
  #fencing: FencingReason | null = null;

  constructor(parts: StandingParts) {
    this.#parts = parts;
  }

  /** Whether triggers may be acquired and fired here at this moment. */
  get mayFire(): boolean {
    const { lease, clockGuard } = this.#parts;
    return lease.mayFire && !clockGuard.isUnsafe;
  }

  /** Whether firing was ever allowed. */
  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** Resolves while nobody may take over what runs here, or when `signal` aborts. */
  whenHeld(signal: AbortSignal): Promise<void> {
    return this.#held.whenOpen(signal);
  }

  /** `isExpected`: the node itself is about to stop. */
  leaseChanged(state: LeaseState, isExpected: boolean): void {
    if (state === 'lost') this.#held.close();
    else this.#held.open();
    if (state === 'firing') this.#fencing = null;
    this.tell();
    if (state === 'lost' && this.#fencing === null && !isExpected) this.#tellFenced('leaseExpired');
  }

  /** Tells whether it may fire, if that has changed. */
  tell(): void {
    const { hooks } = this.#parts;
    const isAllowed = this.mayFire;
    if (isAllowed === this.#isFiringAllowed) return;
    this.#isFiringAllowed = isAllowed;
    hooks.firingAllowed(isAllowed);
    // What the scheduler asked for meanwhile was answered with nothing, and it may sleep on that for long.
    if (isAllowed && this.#hasFired) hooks.scheduleChanged(null);
    this.#hasFired ||= isAllowed;
  }

  /** Gives up the lease: what runs here is not this node's any more. */
  fence(reason: FencingReason): void {
    if (this.#fencing !== reason) this.#tellFenced(reason);
    this.#parts.lease.revoke();
  }

  #tellFenced(reason: FencingReason): void {
    const { hooks, clock, instanceId } = this.#parts;
    this.#fencing = reason;
    hooks.publish({ type: 'nodeFenced', at: clock.now(), instanceId, reason });
    hooks.leaseLost(reason);
  }
}
