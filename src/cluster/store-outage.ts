import { SchedulerError, StoreClosedError } from '../base/errors';
import { settlesWithin } from '../base/sleep';
import type { NodeContext } from './node-hooks';

/**
 * Whether the store can be used, as the check-in finds it: it writes, and is repeated twice a second. Reports once when it cannot, and
 * once when it can again. A network that loses packets lets nothing fail for long: no answer is as bad as an error.
 */
export class StoreOutage {
  readonly #context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>;
  readonly #timeoutMs: number;
  /** On the monotonic clock; null: there is none. */
  #since: number | null = null;

  /** `timeoutMs`: how long the store may take for an answer. */
  constructor(context: Pick<NodeContext, 'clock' | 'hooks' | 'identity'>, timeoutMs: number) {
    this.#context = context;
    this.#timeoutMs = timeoutMs;
  }

  /** Does what needs the store, and learns from how it ends. Rejects with what it rejects with. */
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

  /** The answer of a call that waits for no other node; while it does not come, the store counts as unavailable. */
  async timed<T>(answer: Promise<T>): Promise<T> {
    const { clock } = this.#context;
    const startedAt = clock.monotonic();
    if (!(await settlesWithin(clock, this.#timeoutMs, answer))) this.#begin(startedAt);
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
