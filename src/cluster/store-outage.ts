import type { Clock } from '../base/clock';
import { SchedulerError, StoreClosedError } from '../base/errors';
import { settlesWithin } from '../base/sleep';
import type { ClusterStore } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';

export interface StoreOutageParts {
  readonly instanceId: string;
  readonly clock: Clock;
  readonly hooks: Pick<NodeHooks, 'publish'>;
  /** Milliseconds that the store may take for an answer. */
  readonly patience: number;
}

type Watched = Pick<ClusterStore, 'checkIn' | 'readNodes'>;

/**
 * Whether the store can be used, as the check-in finds it: it writes, and it tries again twice a second. Tells once when it cannot, and
 * once when it can again. A network that loses what is sent lets nothing fail for long: no answer is as bad as a bad one.
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
      const isOfStore = thrown instanceof SchedulerError && thrown.code === 'STORE_FAILURE';
      if (isOfStore && !(thrown instanceof StoreClosedError)) this.#begin(startedAt);
      throw thrown;
    }
    this.#end();
  }

  /** The store's calls that a beat begins with; they wait for no other node. */
  timed(store: Watched): Watched {
    return {
      checkIn: (own, clockOffset) => this.#inTime(store.checkIn(own, clockOffset)),
      readNodes: () => this.#inTime(store.readNodes()),
    };
  }

  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const { clock, patience } = this.#parts;
    const startedAt = clock.monotonic();
    if (!(await settlesWithin(clock, patience, answer))) this.#begin(startedAt);
    return answer;
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
