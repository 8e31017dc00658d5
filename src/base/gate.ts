/** Lets its users pass while it is open, and makes them wait while it is closed or barred. Closed at first. */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #isOpen = false;
  #isBarred = false;

  get isOpen(): boolean {
    return this.#isOpen && !this.#isBarred;
  }

  /** Whether it was opened and not closed since; it may be barred all the same. */
  get isUnlocked(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#letPass();
  }

  /** Nobody passes, whether or not it is open. */
  bar(): void {
    this.#isBarred = true;
  }

  unbar(): void {
    this.#isBarred = false;
    this.#letPass();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Resolves when the gate is open, or when `signal` aborts. Check again: it may have been closed since. */
  whenOpen(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        signal.removeEventListener('abort', finish);
        this.#waiting.delete(finish);
        resolve();
      };
      if (this.isOpen || signal.aborted) return resolve();
      this.#waiting.add(finish);
      signal.addEventListener('abort', finish);
    });
  }

  #letPass(): void {
    if (this.isOpen) for (const pass of [...this.#waiting]) pass();
  }
}
