/** Histogram. Each bucket counts the values up to its bound that exceed the previous bound. The last bucket has no bound. */
export interface ClassCounts {
  readonly counts: readonly number[];
  readonly sums: readonly number[];
}

/** Builds a histogram. Memory use does not depend on the number of values. */
export class CountedClasses implements ClassCounts {
  readonly counts: number[];
  readonly sums: number[];
  readonly #bounds: readonly number[];

  /** `bounds`: upper bounds of the buckets, in ascending order. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
    this.sums = Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    let place = 0;
    while (place < this.#bounds.length && value > (this.#bounds[place] as number)) place++;
    this.counts[place] = (this.counts[place] as number) + 1;
    this.sums[place] = (this.sums[place] as number) + value;
  }

  read(): ClassCounts {
    return { counts: [...this.counts], sums: [...this.sums] };
  }
}
