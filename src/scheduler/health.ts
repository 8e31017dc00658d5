import type { SchedulerHealth } from '../api/reading';
import type { Clock } from '../base/clock';
import { completesWithin } from '../base/sleep';
import type { SchedulerParts } from './scheduler-parts';

type HealthParts = Pick<SchedulerParts, 'clock' | 'node' | 'gate' | 'lifecycle' | 'draining'>;

/** Time for which all probes share one answer of the store, in milliseconds. Several systems may each probe every few seconds. */
const KEPT_MS = 1_000;

/** Time without an answer after which the store counts as unreachable, in milliseconds. Most probes time out a little later. */
const STORE_TIMEOUT_MS = 2_000;

/** Reports whether this node can fire triggers. Queries the store at most once a second. Reports local changes, such as a drain, immediately. */
export class Health {
  readonly #parts: HealthParts;
  #kept: { readonly until: number; readonly isStoreReachable: Promise<boolean> } | null = null;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Returns the health of this node. Never rejects. */
  async read(): Promise<SchedulerHealth> {
    const now = this.#parts.clock.monotonic();
    if (this.#kept === null || now >= this.#kept.until) {
      this.#kept = { until: now + KEPT_MS, isStoreReachable: this.#isStoreReachable() };
    }
    const wasReachable = await this.#kept.isStoreReachable;
    const { gate, lifecycle, node, draining } = this.#parts;
    const isStarted = lifecycle.state === 'started' && !lifecycle.isEnding;
    const facts = {
      isStarted,
      hasStarted: lifecycle.runningSince !== null,
      isStoreReachable: wasReachable && lifecycle.state !== 'shutdown',
      // Without a cluster, no other node can take over this node's runs.
      isCheckInFresh: node.cluster === null ? isStarted : isStarted && gate.isUnlocked,
      isDraining: draining.isDraining,
    };
    const { isStoreReachable, isCheckInFresh, isDraining } = facts;
    return {
      // Only what a restart mends ends liveness: an outage of the database, or long runs, would restart all nodes for nothing.
      isLive: lifecycle.state !== 'shutdown' && node.hasCrashed?.() !== true,
      isReady: isStarted && isStoreReachable && isCheckInFresh && !isDraining,
      ...facts,
    };
  }

  async #isStoreReachable(): Promise<boolean> {
    const { clock, node, lifecycle } = this.#parts;
    if (lifecycle.state === 'shutdown') return false;
    return node.cluster === null || answersInTime(clock, node.cluster.store.readClock());
  }
}

async function answersInTime(clock: Clock, answer: Promise<unknown>): Promise<boolean> {
  const isAnswered = answer.then(
    () => true,
    () => false,
  );
  return (await completesWithin(clock, STORE_TIMEOUT_MS, isAnswered)) && isAnswered;
}
