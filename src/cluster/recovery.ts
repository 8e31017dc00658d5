import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import type { RecoveryReport } from '../domain/recovery';
import type { ClusterStore, NodeIdentity, NodeRecord, RecoveryOptions } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';

export interface RecoveryParts {
  readonly store: Pick<ClusterStore, 'recoverInstance' | 'recoverOrphan' | 'recoverUnheld'>;
  readonly clock: Clock;
  readonly hooks: Pick<NodeHooks, 'publish' | 'scheduleChanged'>;
  readonly options: RecoveryOptions;
}

/** Takes over what dead nodes held, one after another; one that cannot be recovered holds up no other. */
export class Recovery {
  readonly #parts: RecoveryParts;
  /** When the failed nodes that were told of had checked in last. */
  #told: ReadonlyMap<string, number> = new Map();
  #failed: ReadonlyMap<string, NodeRecord> = new Map();
  #isReported = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** The peers that are dead now: what is told here and is not told again lives. */
  setFailed(failed: readonly NodeRecord[]): void {
    this.#failed = new Map(failed.map((node) => [node.instanceId, node]));
    for (const { instanceId, lastCheckInTime } of failed) {
      if (this.#told.get(instanceId) === lastCheckInTime) continue;
      this.#parts.hooks.publish({ type: 'nodeFailed', at: this.#parts.clock.now(), instanceId, lastCheckInTime });
    }
    this.#told = new Map(failed.map(({ instanceId, lastCheckInTime }) => [instanceId, lastCheckInTime]));
  }

  /** Recovers every node that was told to be dead. Never rejects. */
  async runOnce(): Promise<void> {
    const { store, options } = this.#parts;
    for (const failed of this.#failed.values()) {
      const isDone = await this.#attempt(failed.instanceId, () => store.recoverInstance(failed, options));
      if (isDone) this.#forget(failed.instanceId);
    }
  }

  /** Recovers firings whose node is not even stored. Never rejects. */
  async recoverOrphan(instanceId: string): Promise<void> {
    await this.#attempt(instanceId, () => this.#parts.store.recoverOrphan(instanceId, this.#parts.options));
  }

  /** Recovers firings of this node that it does not hold. Never rejects. */
  async recoverUnheld(own: NodeIdentity, fireInstanceIds: readonly string[]): Promise<void> {
    const { store, options } = this.#parts;
    await this.#attempt(own.instanceId, () => store.recoverUnheld(own, fireInstanceIds, options));
  }

  /** Tells what was recovered, unless there was nothing. */
  announce(report: RecoveryReport): void {
    const { hooks, clock } = this.#parts;
    hooks.publish({ type: 'nodeRecovered', at: clock.now(), report });
    hooks.scheduleChanged(null);
  }

  async #attempt(instanceId: string, recover: () => Promise<RecoveryReport | null>): Promise<boolean> {
    try {
      const report = await recover();
      this.#isReported = false;
      if (report !== null) this.announce(report);
      return true;
    } catch (thrown) {
      this.#report(instanceId, toError(thrown));
      return false;
    }
  }

  #forget(instanceId: string): void {
    this.#failed = new Map([...this.#failed].filter(([id]) => id !== instanceId));
  }

  /** Of an outage only the first failure. */
  #report(instanceId: string, error: Error): void {
    const { hooks, clock } = this.#parts;
    if (this.#isReported) return;
    this.#isReported = true;
    hooks.publish({ type: 'schedulerError', at: clock.now(), during: `recovering the node '${instanceId}'`, error });
  }
}
