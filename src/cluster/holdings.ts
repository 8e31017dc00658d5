/**
 * Which fired rows this node knows to be its own: what it has acquired, fired and not ended. A row under its name that is not
 * among them belongs to nobody who will ever end it, once everything has ended that was asked of the store when it was seen.
 */
export class Holdings {
  readonly #held = new Set<string>();
  /** What is asked of the store and not answered. */
  readonly #requests = new Set<symbol>();

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  holds(fireInstanceId: string): boolean {
    return this.#held.has(fireInstanceId);
  }

  hold(fireInstanceId: string): void {
    this.#held.add(fireInstanceId);
  }

  letGo(fireInstanceId: string): void {
    this.#held.delete(fireInstanceId);
  }

  /** Runs something that may write fired rows, and holds them before it resolves. */
  async during<T>(request: () => Promise<T>): Promise<T> {
    const mark = Symbol();
    this.#requests.add(mark);
    try {
      return await request();
    } finally {
      this.#requests.delete(mark);
    }
  }

  /** A question to be asked later: whether every request has ended that is under way now. */
  whetherSettled(): () => boolean {
    const underWay = [...this.#requests];
    return () => underWay.every((mark) => !this.#requests.has(mark));
  }
}
