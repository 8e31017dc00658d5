import type { Clock } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { RandomSource } from '../base/ids';
import { sleepFor } from '../base/sleep';
import { isOverdue, type ReadingTime, takeoverDelayMs } from '../domain/liveness';
import type { RecoveryReport } from '../domain/recovery';
import type { ClusterStore, NodeIdentity, NodeRecord, NodesReading, RecoveryOptions } from '../store/cluster-store';
import type { IsDeadProcess } from './failure-detector';

export interface MembershipParts {
  /** Hears of every reading of the nodes. */
  readonly onReading: (reading: NodesReading, time: ReadingTime) => void;
  readonly store: Pick<ClusterStore, 'readNodes' | 'join' | 'leave'>;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly recovery: RecoveryOptions;
  readonly isDeadProcess: IsDeadProcess;
}

/** What a node says of itself; each of its lives adds an epoch. */
export type NodeFacts = Omit<NodeIdentity, 'epoch'>;

/** A life has begun. `startedAt`: when that was asked for, on the monotonic clock. */
export interface Joined {
  readonly startedAt: number;
  /** What an earlier life of the same id had left. */
  readonly recovery: RecoveryReport;
}

const EPOCH_LENGTH = 16;

/** Looks at a namesake's row while waiting whether it moves. */
const LOOKS = 6;

/** A starting node that finds its place taken, again and again, by others that start with it. */
const MOST_ATTEMPTS = 5;

/** The lives of one node: begins them, under an epoch of their own each, and ends them. */
export class Membership {
  readonly #parts: MembershipParts;
  #identity: NodeIdentity;

  constructor(facts: NodeFacts, parts: MembershipParts) {
    this.#parts = parts;
    this.#identity = { ...facts, epoch: parts.random.token(EPOCH_LENGTH) };
  }

  /** The present life, or the next one before it begins. */
  get identity(): NodeIdentity {
    return this.#identity;
  }

  /**
   * Begins a life. Where a node of the same id is stored, waits until it is certain that it does not live. Rejects with
   * INSTANCE_ID_TAKEN when it does, and with what the store failed with; null when `signal` aborts.
   */
  async join(signal: AbortSignal): Promise<Joined | null> {
    const { store, clock, random, recovery } = this.#parts;
    this.#identity = { ...this.#identity, epoch: random.token(EPOCH_LENGTH) };
    for (let attempt = 1; !signal.aborted; attempt++) {
      const namesake = await this.#findNamesake(signal);
      if (signal.aborted) return null;
      const startedAt = clock.monotonic();
      const result = await store.join(this.#identity, namesake, recovery);
      if (result.status === 'joined') return { startedAt, recovery: result.recovery };
      if (attempt === MOST_ATTEMPTS) throw taken(this.#identity.instanceId);
    }
    return null;
  }

  /** Ends the present life, if nothing of it executes any more. */
  async leave(): Promise<void> {
    await this.#parts.store.leave(this.#identity);
  }

  /** The row of this node's id; null: there is none. Rejects if somebody lives by it. */
  async #findNamesake(signal: AbortSignal): Promise<NodeRecord | null> {
    const { clock, isDeadProcess } = this.#parts;
    const { now, found } = await this.#look();
    if (found === null || hasEnded(found, now) || isDeadProcess(found)) return found;
    const patience = takeoverDelayMs(found);
    const end = clock.monotonic() + patience;
    while (clock.monotonic() < end && !signal.aborted) {
      await sleepFor(clock, patience / LOOKS, signal);
      const again = await this.#look();
      if (again.found === null) return null;
      if (isDeadProcess(again.found)) return again.found;
      if (hasMoved(again.found, found)) throw taken(found.instanceId);
    }
    return found;
  }

  async #look(): Promise<{ readonly now: number; readonly found: NodeRecord | null }> {
    const { store, clock, onReading } = this.#parts;
    const startedAt = clock.monotonic();
    const reading = await store.readNodes();
    onReading(reading, { startedAt, endedAt: clock.monotonic() });
    const { now, nodes } = reading;
    return { now, found: nodes.find(({ instanceId }) => instanceId === this.#identity.instanceId) ?? null };
  }
}

/** Both times are the store's, so that no clocks are compared. A Java node writes its own: only watching it tells. */
function hasEnded(found: NodeRecord, now: number): boolean {
  return found.epoch !== null && isOverdue(found, { now, ownLastCheckInTime: now });
}

function hasMoved(now: NodeRecord, before: NodeRecord): boolean {
  return now.lastCheckInTime !== before.lastCheckInTime || now.epoch !== before.epoch;
}

function taken(instanceId: string): SchedulerError {
  return new SchedulerError(
    'INSTANCE_ID_TAKEN',
    `Expected an instance id of its own for every node, found that another process checks in as '${instanceId}'. ` +
      'Set instanceId to AUTO, or give each node another one.',
  );
}
