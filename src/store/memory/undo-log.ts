/** Undo steps of the changes made inside `atomically`. */
export class UndoLog {
  #reverts: (() => void)[] | null = null;

  /** Runs `work`. If it throws, undoes every change that was passed to `push`. */
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

  /** Records how to undo a change. Outside of `atomically` nothing is recorded. */
  push(revert: () => void): void {
    this.#reverts?.push(revert);
  }
}
