import type { DuePlace } from '../../domain/acquisition';

/**
 * Lanes of waiting triggers. With priority ageing there is one lane per priority, otherwise one lane for all triggers. Within a lane,
 * triggers fire in fire-time order. Lanes are created when needed; `prune` removes an empty lane.
 */
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

  /** All lanes, in no order. */
  get all(): readonly Lane[] {
    return this.#all;
  }

  /** Returns the lane of a trigger. Creates the lane if it does not exist. */
  of({ priority }: DuePlace): Lane {
    if (!this.#isApart) return this.#all[0] as Lane;
    const found = this.#byPriority.get(priority);
    if (found !== undefined) return found;
    const lane = this.#newLane();
    this.#byPriority.set(priority, lane);
    this.#all = [...this.#all, lane];
    return lane;
  }

  /** Removes the lane of this trigger's priority. Must be called when the lane is empty. Does nothing without priority ageing. */
  prune({ priority }: DuePlace): void {
    const lane = this.#byPriority.get(priority);
    if (lane === undefined) return;
    this.#byPriority.delete(priority);
    this.#all = this.#all.filter((each) => each !== lane);
  }
}
