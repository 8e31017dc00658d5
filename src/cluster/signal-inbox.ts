import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import type { ClusterStore, NodeIdentity } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';

export interface SignalInboxParts {
  readonly store: Pick<ClusterStore, 'receiveSignals' | 'acknowledgeSignals'>;
  readonly clock: Clock;
  readonly identity: () => NodeIdentity;
  readonly hooks: Pick<NodeHooks, 'receive' | 'publish'>;
}

/** Acts on what other nodes ask of this one, in their order, and acknowledges what is done. */
export class SignalInbox {
  readonly #parts: SignalInboxParts;
  #epoch = '';
  #done = 0;
  #acknowledged = 0;
  #working: Promise<void> | null = null;

  constructor(parts: SignalInboxParts) {
    this.#parts = parts;
  }

  /** Signals up to `number` have been sent. Does not wait: what they ask for may take its time. */
  announced(number: number): void {
    const { epoch } = this.#parts.identity();
    if (epoch !== this.#epoch) {
      this.#epoch = epoch; // a new life begins with signal 0
      this.#done = 0;
      this.#acknowledged = 0;
    }
    if (number <= this.#acknowledged || this.#working !== null) return;
    this.#working = this.#work(epoch).finally(() => {
      this.#working = null;
    });
  }

  /** Resolves when nothing is being done. */
  async whenIdle(): Promise<void> {
    await this.#working;
  }

  async #work(epoch: string): Promise<void> {
    const { store, identity, hooks } = this.#parts;
    try {
      const node = { ...identity(), epoch };
      const received = await store.receiveSignals(node, this.#done);
      for (const { signal } of received) {
        await hooks.receive(signal).catch((thrown: unknown) => this.#report(thrown, `acting on '${signal.type}'`));
      }
      // Acting takes its time: in a life that has begun meanwhile these numbers mean other signals.
      if (epoch !== this.#epoch) return;
      this.#done = received.at(-1)?.number ?? this.#done;
      await store.acknowledgeSignals(node, this.#done);
      if (epoch === this.#epoch) this.#acknowledged = this.#done;
    } catch (thrown) {
      this.#report(thrown, 'reading the signals of other nodes');
    }
  }

  #report(thrown: unknown, during: string): void {
    const { hooks, clock } = this.#parts;
    hooks.publish({ type: 'schedulerError', at: clock.now(), during, error: toError(thrown) });
  }
}
