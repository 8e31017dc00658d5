import type { DuePlace } from '../../domain/acquisition';

/** Lanes of waiting triggers: one per priority with priority ageing, otherwise one. Within a lane, triggers fire in fire-time order. */
export class Lanes<Lane> {
  readonly #isApart: boolean;
  readonly #newLane: () => Lane;
  readonly #byPriority = new Map<number, Lane>();
  #all: readonly Lane[] = [];

  constructor(isApart: boolean, newLane: () => Lane) {
    this.#isApart = isApart;
    this.#newLane = newLane;
    if (!isApart) this.#all = [newLane()];
  }

  get all(): readonly Lane[] {
    return this.#all;
  }

  /** Creates the lane if it does not exist. */
  of({ priority }: DuePlace): Lane {
    if (!this.#isApart) return this.#all[0] as Lane;
    const found = this.#byPriority.get(priority);
    if (found !== undefined) return found;
    const lane = this.#newLane();
    this.#byPriority.set(priority, lane);
    this.#all = [...this.#all, lane];
    return lane;
  }

  /** Must be called when the lane is empty. Does nothing without priority ageing. */
  prune({ priority }: DuePlace): void {
    const lane = this.#byPriority.get(priority);
    if (lane === undefined) return;
    this.#byPriority.delete(priority);
    this.#all = this.#all.filter((each) => each !== lane);
  }
}
