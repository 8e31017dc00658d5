import type { Gate } from '../base/gate';
import type { EventBus } from '../events/event-bus';

/** How this node of a cluster is doing, as its events tell it. */
export class NodeStatus {
  readonly #gate: Pick<Gate, 'isOpen'> | null;
  #isStoreAvailable = true;

  /** `gate`: closed while the node may not fire; null: the scheduler is no node of a cluster. */
  constructor(bus: Pick<EventBus, 'subscribe'>, gate: Pick<Gate, 'isOpen'> | null) {
    this.#gate = gate;
    if (gate === null) return;
    bus.subscribe(
      ({ type }) => {
        this.#isStoreAvailable = type === 'storeAvailable';
      },
      ['storeUnavailable', 'storeAvailable'],
    );
  }

  get mayFire(): boolean {
    return this.#gate?.isOpen ?? true;
  }

  get isStoreAvailable(): boolean {
    return this.#isStoreAvailable;
  }
}
