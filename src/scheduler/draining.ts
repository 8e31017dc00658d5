import type { Gate } from '../base/gate';
import { REQUEST_TIMEOUT_MS } from '../cluster/signals';
import type { Engine } from '../engine/engine';
import type { ClusterReader } from './node/store-node';
import type { EventInput } from './schedule-events';

interface DrainingParts {
  readonly engine: Pick<Engine, 'scheduleChanged' | 'whenStarted'>;
  readonly gate: Pick<Gate, 'bar' | 'unbar'>;
  /** Store of the cluster, or null if no other node shares the store. */
  readonly store: Pick<ClusterReader, 'publishDraining'> | null;
  readonly instanceId: string;
  readonly announce: (event: EventInput) => void;
}

/**
 * Drain state of this node. A draining node stays a member of the cluster and completes its running jobs. It acquires no triggers, and releases the
 * triggers that it has reserved. The state lasts until `end` is called or the process ends.
 */
export class Draining {
  readonly #parts: DrainingParts;
  #isDraining = false;

  constructor(parts: DrainingParts) {
    this.#parts = parts;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Stops acquiring triggers. Resolves with true if no more jobs will begin on this node. Resolves with false if an earlier firing has not begun
   * within 5 s and may still begin. Rejects if the drain state could not be stored; the node drains nevertheless.
   */
  async begin(): Promise<boolean> {
    this.#set(true);
    const isStarted = await this.#parts.engine.whenStarted(REQUEST_TIMEOUT_MS);
    await this.#publish();
    return isStarted && this.#isDraining;
  }

  /** Resumes acquiring triggers. Rejects if the drain state could not be stored; the node acquires triggers nevertheless. */
  async end(): Promise<void> {
    this.#set(false);
    await this.#publish();
  }

  #set(isDraining: boolean): void {
    const { gate, engine, announce, instanceId } = this.#parts;
    const isNew = this.#isDraining !== isDraining;
    this.#isDraining = isDraining;
    if (isDraining) gate.bar();
    else gate.unbar();
    engine.scheduleChanged(null); // releases reserved triggers now instead of when they are due
    if (isNew) announce({ type: isDraining ? 'nodeDraining' : 'nodeUndrained', instanceId });
  }

  async #publish(): Promise<void> {
    await this.#parts.store?.publishDraining(this.#isDraining);
  }
}
