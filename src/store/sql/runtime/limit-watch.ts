/** Facts about limits that a node keeps between two transactions. */
export class LimitWatch {
  /** Limits that have refused triggers since `wakeMissed` last checked them: their keys, and the numbers of runs that they allow. */
  readonly refusedBy = new Map<string, number>();
  /** Number of triggers that can use one free slot, because firings of the next batch share it. */
  triggersPerSlot = 1;
}
