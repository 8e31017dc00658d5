/** How late things were, in milliseconds: counts by value, so that memory does not grow with the number of firings. */
export class Lateness {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #greatest = 0;

  record(milliseconds: number): void {
    const value = rounded(Math.max(0, milliseconds));
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#total++;
    this.#greatest = Math.max(this.#greatest, milliseconds);
  }

  /** The value that `share` (0 to 1) of all records do not exceed, to three digits; null without records. */
  percentile(share: number): number | null {
    let remaining = Math.ceil(this.#total * share);
    for (const value of [...this.#counts.keys()].sort((a, b) => a - b)) {
      remaining -= this.#counts.get(value) ?? 0;
      if (remaining <= 0) return value;
    }
    return null;
  }

  get max(): number | null {
    return this.#total === 0 ? null : this.#greatest;
  }
}

/** To three significant digits from 1000 ms on: at most some thousand different values, whatever happens. */
function rounded(milliseconds: number): number {
  return milliseconds < 1_000 ? Math.round(milliseconds) : Number(milliseconds.toPrecision(3));
}
