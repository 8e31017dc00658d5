import type { DuePlace } from '../../domain/acquisition';

/**
 * Waiting triggers, separated by priority if the priority decides which one fires first. Within a priority, the time decides. Otherwise
 * there is one lane for all triggers. `prune` removes an empty lane.
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

  /** The lane of a trigger. */
  of({ priority }: DuePlace): Lane {
    if (!this.#isApart) return this.#all[0] as Lane;
    const found = this.#byPriority.get(priority);
    if (found !== undefined) return found;
    const lane = this.#newLane();
    this.#byPriority.set(priority, lane);
    this.#all = [...this.#all, lane];
    return lane;
  }

  /** Removes the lane of this trigger. Call it when the lane is empty. */
  prune({ priority }: DuePlace): void {
    const lane = this.#byPriority.get(priority);
    if (lane === undefined) return;
    this.#byPriority.delete(priority);
    this.#all = this.#all.filter((each) => each !== lane);
  }
}
