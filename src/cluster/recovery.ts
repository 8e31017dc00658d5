import { PortionBreaks } from '../base/portion-breaks';
import type { RecoveryReport } from '../domain/recovery';
import { completedOccurrence } from '../domain/shards';
import { ErrorThrottle } from '../events/error-throttle';
import type { NodeIdentity, NodeRecord } from '../store/cluster-store';
import type { NodeContext } from './node-hooks';

/** Result of one recovery transaction. Null if there was nothing to recover: the node is alive, or another node has recovered it. */
type Attempted = RecoveryReport | null | 'failed';

/** Recovers the firings of failed nodes, one node at a time. A failed recovery does not stop the next. */
export class Recovery {
  readonly #context: NodeContext;
  /** Publishes only the first of consecutive failures. */
  readonly #errors: ErrorThrottle;
  /** Last check-in time of each failed node for which `nodeFailed` was published. */
  #reported: ReadonlyMap<string, number> = new Map();
  #failed = new Map<string, NodeRecord>();
  readonly #breaks: PortionBreaks;

  constructor(context: NodeContext) {
    this.#context = context;
    this.#errors = new ErrorThrottle(context.clock, context.hooks);
    this.#breaks = new PortionBreaks(context.clock);
  }

  /** Sets the peers that count as failed, and publishes `nodeFailed` for new ones. A peer missing from the list counts as alive. */
  setFailed(failed: readonly NodeRecord[]): void {
    const { hooks, clock } = this.#context;
    this.#failed = new Map(failed.map((node) => [node.instanceId, node]));
    for (const { instanceId, lastCheckInTime } of failed) {
      if (this.#reported.get(instanceId) === lastCheckInTime) continue;
      hooks.publish({ type: 'nodeFailed', at: clock.now(), instanceId, lastCheckInTime });
    }
    this.#reported = new Map(failed.map(({ instanceId, lastCheckInTime }) => [instanceId, lastCheckInTime]));
  }

  /** Recovers all failed nodes until `signal` aborts. A node whose recovery fails is retried at the next call. Never rejects. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { store, recoveryOptions } = this.#context;
    this.#breaks.forget();
    for (const failed of this.#failed.values()) {
      if (signal.aborted) return;
      const { instanceId } = failed;
      const report = await this.#attempt(instanceId, () => store.recoverInstance(failed, recoveryOptions));
      if (report !== 'failed') this.#failed.delete(instanceId);
      await this.#finish(report, signal);
    }
  }

  /** Recovers the firings of an instance id that has no node row. Never rejects. */
  async recoverOrphan(instanceId: string, signal: AbortSignal): Promise<void> {
    const { store, recoveryOptions } = this.#context;
    await this.#finish(await this.#attempt(instanceId, () => store.recoverOrphan(instanceId, recoveryOptions)), signal);
  }

  /** Recovers firings stored under this node's id that are not in flight. Never rejects. */
  async recoverUnheld(own: NodeIdentity, runIds: readonly string[]): Promise<void> {
    const { store, recoveryOptions } = this.#context;
    await this.#attempt(own.instanceId, () => store.recoverUnheld(own, runIds, recoveryOptions));
  }

  /** Publishes the events of a recovery, and wakes the scheduler. */
  announce(report: RecoveryReport): void {
    const { hooks, clock } = this.#context;
    hooks.publish({ type: 'nodeRecovered', at: clock.now(), report });
    for (const ended of report.endedOccurrences ?? [])
      hooks.publish({ at: clock.now(), ...completedOccurrence(ended) });
    hooks.scheduleChanged(null);
  }

  /** Recovers remaining firings in further transactions. If one fails, the sweeper recovers the rest later as orphans. */
  async #finish(first: Attempted, signal: AbortSignal): Promise<void> {
    const { store, recoveryOptions } = this.#context;
    let report = first;
    await this.#breaks.end(signal);
    while (report !== null && report !== 'failed' && report.hasMore && !signal.aborted) {
      const { instanceId } = report;
      report = await this.#attempt(instanceId, () => store.recoverOrphan(instanceId, recoveryOptions));
      await this.#breaks.end(signal);
    }
  }

  async #attempt(instanceId: string, recover: () => Promise<RecoveryReport | null>): Promise<Attempted> {
    this.#breaks.begin();
    try {
      const report = await recover();
      this.#errors.end();
      if (report !== null) this.announce(report);
      return report;
    } catch (thrown) {
      this.#errors.report(`recovering the node '${instanceId}'`, thrown);
      return 'failed';
    }
  }
}
