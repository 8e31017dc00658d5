import type { SchedulerHealth } from '../api/reading';
import type { Clock } from '../base/clock';
import { settlesWithin } from '../base/sleep';
import type { SchedulerParts } from './scheduler-parts';

export type HealthParts = Pick<SchedulerParts, 'clock' | 'node' | 'gate' | 'lifecycle' | 'draining'>;

/** Probes come from several places at once, every few seconds: within this time they share one answer. */
const KEPT_MS = 1_000;

/** A store that takes longer counts as not reachable: probes give up soon after. */
const STORE_TIMEOUT_MS = 2_000;

/** Looks at what a node needs in order to fire. Asks the store at most once a second, however often it is asked itself. */
export class Health {
  readonly #parts: HealthParts;
  #kept: { readonly until: number; readonly answer: Promise<SchedulerHealth> } | null = null;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  read(): Promise<SchedulerHealth> {
    const now = this.#parts.clock.monotonic();
    if (this.#kept === null || now >= this.#kept.until) {
      this.#kept = { until: now + KEPT_MS, answer: this.#look() };
    }
    return this.#kept.answer;
  }

  async #look(): Promise<SchedulerHealth> {
    const isStoreReachable = await this.#isStoreReachable();
    const { gate, lifecycle, node, draining } = this.#parts;
    const isStarted = lifecycle.state === 'started';
    const facts = {
      isStarted,
      hasStarted: lifecycle.runningSince !== null,
      isStoreReachable,
      // Without a cluster nobody else may take over what runs here.
      isCheckInFresh: node.cluster === null ? isStarted : isStarted && gate.isUnlocked,
      isDraining: draining.isDraining,
    };
    const { isCheckInFresh, isDraining } = facts;
    return {
      isLive: lifecycle.state !== 'shutdown',
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
  return (await settlesWithin(clock, STORE_TIMEOUT_MS, isAnswered)) && isAnswered;
}
