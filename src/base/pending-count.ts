interface Waiting {
  readonly atMost: () => number;
  readonly resume: () => void;
}

export class PendingCount {
  #count = 0;
  #waiting: readonly Waiting[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#waiting.length > 0) this.#check();
  }

  /** Resolves when no operation is in progress. Operations may begin again immediately afterwards. */
  whenNone(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : this.whenAtMost(() => 0);
  }

  /** Resolves when at most so many operations are in progress. The number is read when an operation ends, and at each call of this method. */
  whenAtMost(atMost: () => number): Promise<void> {
    return new Promise((resume) => {
      this.#waiting = [...this.#waiting, { atMost, resume }];
      this.#check();
    });
  }

  #check(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ atMost }) => this.#count > atMost());
    for (const each of waiting) if (!this.#waiting.includes(each)) each.resume();
  }
}
