/** How many values were at most as large as each bound, and larger than the one before; the last place is beyond all of them. */
export interface ClassCounts {
  readonly counts: readonly number[];
  /** What the values of each place add up to. */
  readonly sums: readonly number[];
}

/** Counts values by the bounds that they do not exceed. Takes the same memory whatever it counts. */
export class CountedClasses implements ClassCounts {
  readonly counts: number[];
  readonly sums: number[];
  readonly #bounds: readonly number[];

  /** `bounds`: in rising order. */
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

  /** As plain data, which does not change any more. */
  read(): ClassCounts {
    return { counts: [...this.counts], sums: [...this.sums] };
  }
}
