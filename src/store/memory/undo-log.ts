/** How to take back what was changed inside `atomically`. */
export class UndoLog {
  #reverts: (() => void)[] | null = null;

  /** Runs `work`; when it throws, everything that `push` was told of is as before. */
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

  /** Remembers how to take back a change; outside of `atomically` nothing is taken back. */
  push(revert: () => void): void {
    this.#reverts?.push(revert);
  }
}
