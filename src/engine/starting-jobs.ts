/** Jobs whose firings were handed on and that have not begun: they are being made, or listeners are asked. */
export class StartingJobs {
  readonly #steps = new Set<Promise<unknown>>();

  /** One step before a job begins. The same promise, so that a firing is not held up by being watched. */
  watch<T>(step: Promise<T>): Promise<T> {
    this.#steps.add(step);
    const end = () => this.#steps.delete(step);
    step.then(end, end);
    return step;
  }

  /** Resolves when every job that is starting now has begun, or will not. Two rounds, for a job is made before listeners are asked. */
  async whenTheseBegin(): Promise<void> {
    await Promise.allSettled(this.#steps);
    await Promise.allSettled(this.#steps);
  }
}
