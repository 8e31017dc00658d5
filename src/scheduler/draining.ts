import type { Gate } from '../base/gate';
import { REQUEST_TIMEOUT_MS } from '../cluster/signals';
import type { Engine } from '../engine/engine';
import type { ClusterReader } from './node/store-node';
import type { EventInput } from './schedule-events';

export interface DrainingParts {
  readonly engine: Pick<Engine, 'scheduleChanged' | 'whenBegun'>;
  /** The one in front of the trigger loop. */
  readonly gate: Pick<Gate, 'bar' | 'unbar'>;
  /** Store of the cluster, or null if no other node shares the store. */
  readonly store: Pick<ClusterReader, 'publishDraining'> | null;
  readonly instanceId: string;
  readonly announce: (event: EventInput) => void;
}

/**
 * Drain state of this node. A draining node stays a member: it acquires nothing and returns its reservations, and its running jobs continue to their
 * end. Draining lasts until it is revoked or the process ends.
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
   * Stops taking work. True: nothing more begins here. False: something that was fired before has not begun within 5 s, and still may.
   * Rejects when the status could not be stored; the node drains all the same.
   */
  async begin(): Promise<boolean> {
    const { gate, engine } = this.#parts;
    const isNew = !this.#isDraining;
    this.#isDraining = true;
    gate.bar();
    engine.scheduleChanged(null); // reserved triggers wait for their fire time; this returns them now
    if (isNew) this.#announce('nodeDraining');
    const isBegun = await engine.whenBegun(REQUEST_TIMEOUT_MS);
    await this.#publish();
    return isBegun && this.#isDraining;
  }

  /** Takes work again. */
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
