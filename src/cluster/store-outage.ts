import { SchedulerError, StoreClosedError } from '../base/errors';
import { completesWithin } from '../base/sleep';
import type { NodeContext } from './node-hooks';

/**
 * Detects store outages through the check-in, which writes three times per interval. Publishes the start and the end of each outage once. A late
 * answer counts too: on a network that loses packets, a request may fail only after a long time.
 */
export class StoreOutage {
  readonly #context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>;
  readonly #timeoutMs: number;
  /** Start of the current outage in monotonic time; null if the store is available. */
  #since: number | null = null;

  /** `timeoutMs` is the maximum time to wait for an answer from the store. */
  constructor(context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>, timeoutMs: number) {
    this.#context = context;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs `work`. A STORE_FAILURE starts an outage, unless this node has closed the store; success ends it. Rejects with the error of `work`. */
  async watch(work: () => Promise<void>): Promise<void> {
    const startedAt = this.#context.clock.monotonic();
    try {
      await work();
    } catch (thrown) {
      const isOfStore = thrown instanceof SchedulerError && thrown.code === 'STORE_FAILURE';
      if (isOfStore && !(thrown instanceof StoreClosedError)) this.#begin(startedAt);
      throw thrown;
    }
    this.#end();
  }

  /** Returns the answer of a store call that does not wait for other nodes. A late answer starts an outage, but the call continues. */
  async timed<T>(answer: Promise<T>): Promise<T> {
    const { clock } = this.#context;
    const startedAt = clock.monotonic();
    if (!(await completesWithin(clock, this.#timeoutMs, answer))) this.#begin(startedAt);
    return answer;
  }

  #begin(startedAt: number): void {
    if (this.#since !== null) return;
    const { hooks, clock, identity } = this.#context;
    this.#since = startedAt;
    hooks.publish({ type: 'storeUnavailable', at: clock.now(), instanceId: identity().instanceId });
  }

  #end(): void {
    if (this.#since === null) return;
    const { hooks, clock, identity } = this.#context;
    const unavailableFor = Math.round(clock.monotonic() - this.#since);
    this.#since = null;
    hooks.publish({ type: 'storeAvailable', at: clock.now(), instanceId: identity().instanceId, unavailableFor });
  }
}
