import { SchedulerStateError } from '../base/errors';
import type { WorkerPool } from './worker-pool';

/** The pool of a node that schedules and never runs anything. */
export class ZeroSizeWorkerPool implements WorkerPool {
  readonly name = 'zeroSize';
  readonly size = 0;
  readonly running = 0;

  whenFree(signal: AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(0);
      signal.addEventListener('abort', () => resolve(0), { once: true });
    });
  }

  async whenIdle(): Promise<void> {}

  submit(): void {
    throw new SchedulerStateError('A node whose worker pool has size zero runs no jobs. Give it a threadCount.');
  }

  async drain(): Promise<{ readonly abandoned: number }> {
    return { abandoned: 0 };
  }
}
