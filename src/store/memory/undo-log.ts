/** Undo steps of the changes made inside `atomically`. */
export class UndoLog {
  #reverts: (() => void)[] | null = null;

  /** Runs `work`. If `work` throws, runs the recorded undo steps, the newest first, and rethrows the error. */
  atomically<T>(work: () => T): T {
    const reverts: (() => void)[] = [];
    this.#reverts = reverts;
    try {
      return work();
    } catch (error) {
      this.#reverts = null;
      for (const revert of reverts.reverse()) revert();
      throw error;
    } finally {
      this.#reverts = null;
    }
  }

  /** Records how to undo a change. Outside of `atomically`, does nothing. */
  push(revert: () => void): void {
    this.#reverts?.push(revert);
  }
}
