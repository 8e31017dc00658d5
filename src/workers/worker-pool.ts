/** Where jobs run. Only the trigger loop asks for free workers and submits. */
export interface WorkerPool {
  /** For metadata. */
  readonly name: string;
  /** How many jobs may run at once. */
  readonly size: number;
  /** How many run now. */
  readonly running: number;
  /** The number of free workers, as soon as there is one; 0 when `signal` aborts. */
  whenFree(signal: AbortSignal): number | Promise<number>;
  /** Resolves when nothing runs. */
  whenIdle(): Promise<void>;
  /** Runs `work(item)` in a free worker, which is freed however the work ends. */
  submit<Item>(work: (item: Item) => Promise<void>, item: Item): void;
  /** Resolves when nothing runs any more, or after `timeoutMs` with the number that still runs. */
  drain(timeoutMs: number): Promise<{ readonly abandoned: number }>;
}
