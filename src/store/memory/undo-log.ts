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

  /** Does nothing outside of `atomically`. */
  push(revert: () => void): void {
    this.#reverts?.push(revert);
  }

  /** Sets the value of a key; null deletes the key. Records the undo. */
  put<Value>(map: Map<string, Value>, key: string, value: Value | null): void {
    const before = map.get(key) ?? null;
    if (value === null) map.delete(key);
    else map.set(key, value);
    this.push(() => this.put(map, key, before));
  }
}
