import type { DuePlace } from '../../domain/acquisition';

/**
 * Lanes of waiting triggers: one per priority if priorities age, otherwise one for all triggers. Within a lane, the fire time decides the
 * order. Lanes for priorities are created when needed; `prune` removes empty ones.
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

  /** Removes the lane of this trigger's priority. Must be called when the lane is empty. Keeps the only lane if priorities do not age. */
  prune({ priority }: DuePlace): void {
    const lane = this.#byPriority.get(priority);
    if (lane === undefined) return;
    this.#byPriority.delete(priority);
    this.#all = this.#all.filter((each) => each !== lane);
  }
}
