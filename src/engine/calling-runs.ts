import { Gate } from '../base/gate';
import { systemRandom } from '../base/ids';
import { NEVER } from '../base/sleep';
import type { WorkerPool } from '../workers/worker-pool';

/**
 * Recognises calls that come from a run of this scheduler, by the name of a function in their stack: V8 also lists the async functions that await the
 * caller. Costs nothing until a call is checked, unlike AsyncLocalStorage, which doubles the cost of every promise on Node 20.
 * A call that no run awaits is not recognised, and does not need to be.
 */
export class CallingRuns {
  readonly #name = `run of quartz-ts ${systemRandom.token(8)}`;

  /** Names an async function in which runs execute, and returns it. */
  mark<Run extends (...args: never[]) => Promise<unknown>>(run: Run): Run {
    return Object.defineProperty(run, 'name', { value: this.#name });
  }

  /** True if a run of this scheduler awaits the current code. */
  isCaller(): boolean {
    const { prepareStackTrace, stackTraceLimit } = Error;
    try {
      Error.stackTraceLimit = Number.POSITIVE_INFINITY;
      Error.prepareStackTrace = (_, sites) => sites.some((site) => site.getFunctionName() === this.#name);
      return (new Error().stack as unknown) === true;
    } finally {
      Error.prepareStackTrace = prepareStackTrace;
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}

/** Runs that wait for the shutdown that they have requested themselves. The shutdown cannot wait for them before it answers them. */
export class ShutdownCallers {
  readonly #stopped = new Gate();
  #count = 0;
  #mustWait = false;

  get count(): number {
    return this.#count;
  }

  /** Lets the callers continue: now, or when no other run executes. */
  stopped(mustWait: boolean): void {
    this.#mustWait = mustWait;
    this.#stopped.open();
  }

  /** Resolves when no further run begins, and when only the callers run if the shutdown waits for runs. */
  async add(workers: Pick<WorkerPool, 'whenAtMost'>): Promise<void> {
    this.#count++;
    await this.#stopped.whenOpen(NEVER);
    if (this.#mustWait) await workers.whenAtMost(() => this.#count);
  }
}
