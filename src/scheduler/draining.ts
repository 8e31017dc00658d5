import type { Gate } from '../base/gate';
import { REQUEST_TIMEOUT_MS } from '../cluster/signals';
import type { Engine } from '../engine/engine';
import type { ClusterReader } from './node/store-node';
import type { EventInput } from './schedule-events';

export interface DrainingParts {
  readonly engine: Pick<Engine, 'scheduleChanged' | 'whenBegun'>;
  /** The one in front of the trigger loop. */
  readonly gate: Pick<Gate, 'bar' | 'unbar'>;
  /** Null: no other node shares the store. */
  readonly store: Pick<ClusterReader, 'publishDraining'> | null;
  readonly instanceId: string;
  readonly announce: (event: EventInput) => void;
}

/**
 * Whether this node takes work. While it drains it stays a member: it acquires nothing, gives back what it had reserved, and what runs
 * goes on to its end. Until it is told otherwise, or its process ends.
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
    engine.scheduleChanged(null); // what is reserved waits for its fire time, and is given back now
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
