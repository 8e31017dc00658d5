import type { Clock } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { NodeHooks } from './node-hooks';

export interface StoreOutageParts {
  readonly instanceId: string;
  readonly clock: Clock;
  readonly hooks: Pick<NodeHooks, 'publish'>;
}

/**
 * Whether the store can be used, as the check-in finds it: it writes, and it tries again twice a second. Tells once when it cannot, and
 * once when it can again.
 */
export class StoreOutage {
  readonly #parts: StoreOutageParts;
  /** On the monotonic clock; null: there is none. */
  #since: number | null = null;

  constructor(parts: StoreOutageParts) {
    this.#parts = parts;
  }

  /** Does what needs the store, and learns from how it ends. Rejects with what it rejects with. */
  async watch(work: () => Promise<void>): Promise<void> {
    const startedAt = this.#parts.clock.monotonic();
    try {
      await work();
    } catch (thrown) {
      if (thrown instanceof SchedulerError && thrown.code === 'STORE_FAILURE') this.#begin(startedAt);
      throw thrown;
    }
    this.#end();
  }

  #begin(startedAt: number): void {
    if (this.#since !== null) return;
    const { hooks, clock, instanceId } = this.#parts;
    this.#since = startedAt;
    hooks.publish({ type: 'storeUnavailable', at: clock.now(), instanceId });
  }

  #end(): void {
    if (this.#since === null) return;
    const { hooks, clock, instanceId } = this.#parts;
    const unavailableFor = Math.round(clock.monotonic() - this.#since);
    this.#since = null;
    hooks.publish({ type: 'storeAvailable', at: clock.now(), instanceId, unavailableFor });
  }
}
