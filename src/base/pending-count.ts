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

  /** Resolves when no operation is in progress. Operations may begin again immediately afterwards. */
  whenNone(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
