import type { Gate } from '../base/gate';
import { REQUEST_TIMEOUT_MS } from '../cluster/signals';
import type { Engine } from '../engine/engine';
import type { ClusterReader } from './node/store-node';
import type { EventInput } from './schedule-events';

export interface DrainingParts {
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
    const { gate, engine } = this.#parts;
    const isNew = !this.#isDraining;
    this.#isDraining = true;
    gate.bar();
    engine.scheduleChanged(null); // releases reserved triggers now instead of when they are due
    if (isNew) this.#announce('nodeDraining');
    const isStarted = await engine.whenStarted(REQUEST_TIMEOUT_MS);
    await this.#publish();
    return isStarted && this.#isDraining;
  }

  /** Resumes acquiring triggers. Rejects if the drain state could not be stored; the node acquires triggers nevertheless. */
  async end(): Promise<void> {
    const { gate, engine } = this.#parts;
    const isNew = this.#isDraining;
    this.#isDraining = false;
    gate.unbar();
    engine.scheduleChanged(null);
    if (isNew) this.#announce('nodeUndrained');
    await this.#publish();
  }

  async #publish(): Promise<void> {
    await this.#parts.store?.publishDraining(this.#isDraining);
  }

  #announce(type: 'nodeDraining' | 'nodeUndrained'): void {
    const { announce, instanceId } = this.#parts;
    announce({ type, instanceId });
  }
}
