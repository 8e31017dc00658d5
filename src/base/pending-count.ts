/** Counts what is under way, and lets others wait until nothing is. */
export class PendingCount {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resolves at once when nothing is under way. What begins after it resolved is not waited for. */
  whenNone(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
