import { SchedulerError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { isSilent, takeoverDelayMs } from '../domain/liveness';
import type { RecoveryReport } from '../domain/recovery';
import type { NodeIdentity, NodeRecord } from '../store/cluster-store';
import type { FiringPermission } from './firing-permission';
import type { NodeContext, NodeFacts } from './node-hooks';
import type { StoreOutage } from './store-outage';

/** Result of beginning an incarnation. `startedAt` is the monotonic time of the request. */
export interface Joined {
  readonly startedAt: number;
  /** Report about what an earlier incarnation of the same id left. */
  readonly recovery: RecoveryReport;
}

const EPOCH_LENGTH = 16;

/** Number of readings of an existing node's row while waiting for a check-in. */
const READINGS = 6;

/** Maximum number of attempts to join when other nodes that start at the same time keep taking the id. */
const MAX_ATTEMPTS = 5;

/** Begins and ends the incarnations of this node, each with its own epoch. */
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

  /** The current incarnation, or the next one before it begins. */
  get identity(): NodeIdentity {
    return this.#identity;
  }

  /**
   * Begins an incarnation. If a node with the same id is stored, waits until it is certain that it has failed. Null
   * when `signal` aborts. Rejects with INSTANCE_ID_TAKEN if that node checks in, or with the store's error.
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

  /** Ends the current incarnation if none of its jobs executes any more. */
  async leave(): Promise<void> {
    await this.#context.store.leave(this.#identity);
  }

  /** Row of this node's id; null if there is none. Rejects if another process checks in under the id. */
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

/**
 * Compares two times of the store's clock. A Java node writes times of its own clock, so only observation can show that
 * it has ended.
 */
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
