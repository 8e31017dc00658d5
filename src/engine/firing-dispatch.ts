import type { FireResult, TriggerFiring } from '../domain/firing';
import type { EventBus } from '../events/event-bus';
import type { WorkerPool } from '../workers/worker-pool';
import { HeldFirings, type HeldFiringsParts } from './held-firings';

export interface FiringDispatchParts extends HeldFiringsParts {
  readonly workers: WorkerPool;
  readonly bus: EventBus;
  /** Runs one firing to its end; never rejects. */
  readonly execute: (firing: TriggerFiring) => Promise<void>;
}

/** Tells of what the store has acquired and fired, and hands each firing to a worker. Nothing is built for nobody to hear. */
export class FiringDispatch {
  readonly #parts: FiringDispatchParts;
  readonly #held: HeldFirings;

  constructor(parts: FiringDispatchParts) {
    this.#parts = parts;
    this.#held = new HeldFirings(parts);
  }

  announceAcquired(count: number): void {
    const { bus, clock } = this.#parts;
    if (count > 0 && bus.has('triggersAcquired')) bus.publish({ type: 'triggersAcquired', at: clock.now(), count });
  }

  /** In the order in which they fired. Not async: a loop within an async function costs the compiler several times as much. */
  dispatch(results: readonly FireResult[]): void {
    for (const result of results) this.#dispatchOne(result);
  }

  /** What waits for its instant will not begin any more; returns it. */
  dropHeld(): readonly TriggerFiring[] {
    return this.#held.drop();
  }

  /** Resolves when everything that was dispatched by now has been begun. */
  whenHeldHasBegun(): Promise<void> {
    return this.#held.whenTheseEnd();
  }

  #dispatchOne(result: FireResult): void {
    const { bus, clock, workers } = this.#parts;
    if (result.status === 'fired') {
      workers.submit(this.#held.isDue(result.firing) ? this.#begin : this.#beginInTime, result.firing);
    } else if (bus.has('triggerNotFired')) {
      bus.publish({ type: 'triggerNotFired', at: clock.now(), acquired: result.acquired, reason: result.reason });
    }
  }

  /** In a worker from the start, so that one is free at the firing's instant. */
  readonly #beginInTime = async (firing: TriggerFiring): Promise<void> => {
    if (await this.#held.untilDue(firing)) await this.#begin(firing);
  };

  readonly #begin = (firing: TriggerFiring): Promise<void> => {
    const { bus, clock, execute } = this.#parts;
    if (bus.has('triggerFired')) bus.publish({ type: 'triggerFired', at: clock.now(), firing });
    return execute(firing);
  };
}
