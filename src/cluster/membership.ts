import { SchedulerError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { checksIn, takeoverDelayMs } from '../domain/liveness';
import type { RecoveryReport } from '../domain/recovery';
import type { NodeIdentity, NodeRecord } from '../store/cluster-store';
import type { FiringPermission } from './firing-permission';
import type { NodeContext, NodeFacts } from './node-hooks';
import type { StoreOutage } from './store-outage';

/** Result of joining. `startedAt` is the monotonic time at which the join request was sent. */
interface Joined {
  readonly startedAt: number;
  /** Recovery of the firings left by an earlier incarnation with the same instance id. */
  readonly recovery: RecoveryReport;
}

const EPOCH_LENGTH = 16;

/** Number of times that the row of an existing node with this id is read before it is taken over, within the time in which a live node checks in. */
const READINGS = 6;

/** Maximum number of attempts to join. An attempt fails if the row of the instance id changes before it can be replaced. */
const MAX_ATTEMPTS = 5;

/** Starts and ends the incarnations of this node. Each incarnation has its own epoch. */
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

  /** Identity of the current incarnation. Before a join, identity of the next incarnation. */
  get identity(): NodeIdentity {
    return this.#identity;
  }

  /**
   * Starts an incarnation. If another node is stored under the same id, first waits until that node has certainly failed. Returns null if `signal`
   * aborts. Rejects with INSTANCE_ID_TAKEN if the other node checks in or its row keeps changing, or with the store's error.
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

  /** Ends the current incarnation, unless one of its jobs still runs. Rejects with the store's error. */
  async leave(): Promise<void> {
    await this.#context.store.leave(this.#identity);
  }

  /**
   * Returns the stored row with this node's id, or null if there is none. Unless the row's node has certainly ended,
   * first waits for a check-in under the id. Rejects with INSTANCE_ID_TAKEN if another process checks in.
   */
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

/** True if the row shows that its node has ended. Always false for a Java node: its own clock wrote the row, so only observation can show its end. */
function hasEnded(found: NodeRecord, now: number): boolean {
  return found.epoch !== null && !checksIn(found, now);
}

function taken(instanceId: string): SchedulerError {
  return new SchedulerError(
    'INSTANCE_ID_TAKEN',
    `Expected a unique instance id, found another process that checks in as '${instanceId}'. ` +
      'Set instanceId to AUTO, or give each node its own id.',
  );
}
