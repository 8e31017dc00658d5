/** Lets its users pass while it is open, and makes them wait while it is closed. Closed at first. */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    for (const pass of [...this.#waiting]) pass();
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
      if (this.#isOpen || signal.aborted) return resolve();
      this.#waiting.add(finish);
      signal.addEventListener('abort', finish);
    });
  }
}
