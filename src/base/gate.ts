/** A gate that blocks the callers of `whenOpen` while it is closed or barred. Initially closed. */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #isOpen = false;
  #isBarred = false;

  get isOpen(): boolean {
    return this.#isOpen && !this.#isBarred;
  }

  /** True if the gate was opened and not closed since. It may be barred. */
  get isUnlocked(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#letPass();
  }

  /** Blocks callers until `unbar`, even if the gate is open. */
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

  /** Resolves when the gate is open, or when `signal` aborts. Check `isOpen` afterwards, because the gate may have been closed again. */
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
