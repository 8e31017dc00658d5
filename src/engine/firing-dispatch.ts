import type { Clock } from '../base/clock';
import type { FireResult, TriggerFiring } from '../domain/firing';
import type { EventBus } from '../events/event-bus';
import type { WorkerPool } from '../workers/worker-pool';

export interface FiringDispatchParts {
  readonly clock: Clock;
  readonly workers: WorkerPool;
  readonly bus: EventBus;
  /** Runs one firing to its end; never rejects. */
  readonly execute: (firing: TriggerFiring) => Promise<void>;
}

/** Tells of what the store has acquired and fired, and hands each firing to a worker. Nothing is built for nobody to hear. */
export class FiringDispatch {
  readonly #parts: FiringDispatchParts;

  constructor(parts: FiringDispatchParts) {
    this.#parts = parts;
  }

  announceAcquired(count: number): void {
    const { bus, clock } = this.#parts;
    if (count > 0 && bus.has('triggersAcquired')) bus.publish({ type: 'triggersAcquired', at: clock.now(), count });
  }

  /** In the order in which they fired. Not async: a loop within an async function costs the compiler several times as much. */
  dispatch(results: readonly FireResult[]): void {
    for (const result of results) this.#dispatchOne(result);
  }

  #dispatchOne(result: FireResult): void {
    const { bus, clock, workers, execute } = this.#parts;
    if (result.status === 'fired') {
      if (bus.has('triggerFired')) bus.publish({ type: 'triggerFired', at: clock.now(), firing: result.firing });
      workers.submit(execute, result.firing);
    } else if (bus.has('triggerNotFired')) {
      bus.publish({ type: 'triggerNotFired', at: clock.now(), acquired: result.acquired, reason: result.reason });
    }
  }
}
