import type { RecoveryReport } from '../domain/recovery';
import { completedOccurrence } from '../domain/shards';
import { ErrorThrottle } from '../events/error-throttle';
import type { NodeIdentity, NodeRecord } from '../store/cluster-store';
import type { NodeContext } from './node-hooks';

/** Takes over what dead nodes held, one after another; one that cannot be recovered does not delay the others. */
export class Recovery {
  readonly #context: NodeContext;
  /** Of an outage only the first failure is reported. */
  readonly #errors: ErrorThrottle;
  /** When the failed nodes that were reported had checked in last. */
  #reported: ReadonlyMap<string, number> = new Map();
  #failed: ReadonlyMap<string, NodeRecord> = new Map();

  constructor(context: NodeContext) {
    this.#context = context;
    this.#errors = new ErrorThrottle(context.clock, context.hooks);
  }

  /** Sets the peers that are dead now: one that is not among them any more lives. */
  setFailed(failed: readonly NodeRecord[]): void {
    const { hooks, clock } = this.#context;
    this.#failed = new Map(failed.map((node) => [node.instanceId, node]));
    for (const { instanceId, lastCheckInTime } of failed) {
      if (this.#reported.get(instanceId) === lastCheckInTime) continue;
      hooks.publish({ type: 'nodeFailed', at: clock.now(), instanceId, lastCheckInTime });
    }
    this.#reported = new Map(failed.map(({ instanceId, lastCheckInTime }) => [instanceId, lastCheckInTime]));
  }

  /** Recovers every dead node. Never rejects. */
  async runOnce(): Promise<void> {
    const { store, recoveryOptions } = this.#context;
    for (const failed of this.#failed.values()) {
      const { instanceId } = failed;
      const isDone = await this.#attempt(instanceId, () => store.recoverInstance(failed, recoveryOptions));
      if (isDone) this.#failed = new Map([...this.#failed].filter(([id]) => id !== instanceId));
    }
  }

  /** Recovers firings whose node is not even stored. Never rejects. */
  async recoverOrphan(instanceId: string): Promise<void> {
    const { store, recoveryOptions } = this.#context;
    await this.#attempt(instanceId, () => store.recoverOrphan(instanceId, recoveryOptions));
  }

  /** Recovers firings of this node that it does not hold. Never rejects. */
  async recoverUnheld(own: NodeIdentity, runIds: readonly string[]): Promise<void> {
    const { store, recoveryOptions } = this.#context;
    await this.#attempt(own.instanceId, () => store.recoverUnheld(own, runIds, recoveryOptions));
  }

  /** Reports what was recovered. */
  announce(report: RecoveryReport): void {
    const { hooks, clock } = this.#context;
    hooks.publish({ type: 'nodeRecovered', at: clock.now(), report });
    for (const ended of report.endedOccurrences ?? [])
      hooks.publish({ at: clock.now(), ...completedOccurrence(ended) });
    hooks.scheduleChanged(null);
  }

  async #attempt(instanceId: string, recover: () => Promise<RecoveryReport | null>): Promise<boolean> {
    try {
      const report = await recover();
      this.#errors.end();
      if (report !== null) this.announce(report);
      return true;
    } catch (thrown) {
      this.#errors.report(`recovering the node '${instanceId}'`, thrown);
      return false;
    }
  }
}
