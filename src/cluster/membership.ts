import { SchedulerError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { isSilent, takeoverDelayMs } from '../domain/liveness';
import type { RecoveryReport } from '../domain/recovery';
import type { NodeIdentity, NodeRecord } from '../store/cluster-store';
import type { FiringPermission } from './firing-permission';
import type { NodeContext, NodeFacts } from './node-hooks';
import type { StoreOutage } from './store-outage';

/** An incarnation has begun. `startedAt`: when that was requested, on the monotonic clock. */
export interface Joined {
  readonly startedAt: number;
  /** What an earlier incarnation of the same id had left. */
  readonly recovery: RecoveryReport;
}

const EPOCH_LENGTH = 16;

/** Readings of an existing node's row while waiting for a check-in of it. */
const READINGS = 6;

/** For a starting node whose id is taken, again and again, by others that start at the same time. */
const MAX_ATTEMPTS = 5;

/** The incarnations of one node: begins them, each under an epoch of its own, and ends them. */
export class Membership {
  readonly #context: NodeContext;
  readonly #permission: FiringPermission;
  readonly #outage: StoreOutage;
  #identity: NodeIdentity;

  constructor(context: NodeContext, facts: NodeFacts, permission: FiringPermission, outage: StoreOutage) {
    this.#context = context;
    this.#permission = permission;
    this.#outage = outage;
    this.#identity = { ...facts, epoch: context.random.token(EPOCH_LENGTH) };
  }

  /** The present incarnation, or the next one before it begins. */
  get identity(): NodeIdentity {
    return this.#identity;
  }

  /**
   * Begins an incarnation. Where a node of the same id is stored, waits until it is certain that it is dead. Rejects with
   * INSTANCE_ID_TAKEN when it does, and with errors of the store; null when `signal` aborts.
   */
  async join(signal: AbortSignal): Promise<Joined | null> {
    const { store, clock, random, recoveryOptions } = this.#context;
    this.#identity = { ...this.#identity, epoch: random.token(EPOCH_LENGTH) };
    for (let attempt = 1; !signal.aborted; attempt++) {
      const existing = await this.#findExisting(signal);
      if (signal.aborted) return null;
      const startedAt = clock.monotonic();
      const result = await store.join(this.#identity, existing, recoveryOptions);
      if (result.status === 'joined') return { startedAt, recovery: result.recovery };
      if (attempt === MAX_ATTEMPTS) throw taken(this.#identity.instanceId);
    }
    return null;
  }

  /** Ends the present incarnation, if nothing of it executes any more. */
  async leave(): Promise<void> {
    await this.#context.store.leave(this.#identity);
  }

  /** The row of this node's id; null: there is none. Rejects if another process lives by it. */
  async #findExisting(signal: AbortSignal): Promise<NodeRecord | null> {
    const { clock, isDeadProcess } = this.#context;
    const { now, found } = await this.#read();
    if (found === null || hasEnded(found, now) || isDeadProcess(found)) return found;
    const waitMs = takeoverDelayMs(found);
    const end = clock.monotonic() + waitMs;
    while (clock.monotonic() < end && !signal.aborted) {
      await sleepFor(clock, waitMs / READINGS, signal);
      const { found: again } = await this.#read();
      if (again === null || isDeadProcess(again)) return again;
      if (again.lastCheckInTime !== found.lastCheckInTime || again.epoch !== found.epoch) throw taken(found.instanceId);
    }
    return found;
  }

  async #read(): Promise<{ readonly now: number; readonly found: NodeRecord | null }> {
    const { store, clock } = this.#context;
    const startedAt = clock.monotonic();
    const reading = await this.#outage.timed(store.readNodes());
    this.#permission.judgeClock(reading, { startedAt, endedAt: clock.monotonic() });
    const { now, nodes } = reading;
    return { now, found: nodes.find(({ instanceId }) => instanceId === this.#identity.instanceId) ?? null };
  }
}

/** Both times are the store's, so that no clocks are compared. A Java node writes its own time: only observation can tell. */
function hasEnded(found: NodeRecord, now: number): boolean {
  return found.epoch !== null && isSilent(found, { now, ownLastCheckInTime: now });
}

function taken(instanceId: string): SchedulerError {
  return new SchedulerError(
    'INSTANCE_ID_TAKEN',
    `Expected a unique instance id, found another process that checks in as '${instanceId}'. ` +
      'Set instanceId to AUTO, or give each node its own id.',
  );
}
