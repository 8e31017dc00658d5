/** Facts about limits that a node keeps between two transactions. */
export class LimitWatch {
  /** Limits that have refused triggers since `wakeMissed` last checked them: their keys, and the numbers of runs that they allow. */
  readonly refusedBy = new Map<string, number>();
  /** Number of triggers that can use one free slot, because firings of the next batch share it. */
  triggersPerSlot = 1;
  /** True if triggers could not be woken, because the database did not answer. The store then repeats the wake until it succeeds. */
  mustWakeAgain = false;
  #freed = new Map<string, number>();

  /** Keeps the numbers of freed slots, by limit, until the triggers that wait for them are woken. */
  owe(slots: ReadonlyMap<string, number>): void {
    for (const [key, count] of slots) this.#freed.set(key, (this.#freed.get(key) ?? 0) + count);
  }

  /** Returns and forgets the freed slots. */
  takeOwed(): ReadonlyMap<string, number> {
    const freed = this.#freed;
    if (freed.size > 0) this.#freed = new Map();
    return freed;
  }

  /** Returns and forgets the limits that have refused triggers. */
  takeRefused(): readonly (readonly [string, number])[] {
    const refused = [...this.refusedBy];
    this.refusedBy.clear();
    return refused;
  }

  /** Restores limits after a failure, except those that have refused triggers again. */
  refusedBefore(limits: readonly (readonly [string, number])[]): void {
    for (const [key, count] of limits) if (!this.refusedBy.has(key)) this.refusedBy.set(key, count);
  }
}
