import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobExecutionContext, JobMiddleware } from '../api/scheduler';
import { badArgument, type SchedulerError } from '../base/errors';
import { sharedValue } from '../base/shared-class';

/** Shared, so that a job of another copy of this package finds its context. */
const currentContext = sharedValue('currentJobContext', () => new AsyncLocalStorage<JobExecutionContext>());

/**
 * Returns the context of the job that called the current code, directly or indirectly, even after an `await`. Returns null outside of jobs. Requires
 * middleware (`scheduler.use`) or the option `currentJobContext`; otherwise always returns null.
 */
export function currentJobContext(): JobExecutionContext | null {
  return currentContext.getStore() ?? null;
}

/** Middleware around every execution of a job. The middleware that was added first is the outermost. */
export class JobMiddlewares {
  #layers: readonly JobMiddleware[] = [];
  readonly #isAlwaysTracked: boolean;

  /** `tracks`: true to make `currentJobContext` work even without middleware. */
  constructor(tracks: boolean) {
    this.#isAlwaysTracked = tracks;
  }

  /** True if jobs can be called directly, without middleware and without tracking the current job. */
  get isEmpty(): boolean {
    return this.#layers.length === 0 && !this.#isAlwaysTracked;
  }

  /** Adds a middleware for later executions. Returns a function that removes it. */
  add(middleware: JobMiddleware): () => void {
    // A new function identifies this registration, because the same middleware may be added twice.
    const layer: JobMiddleware = (context, next) => middleware(context, next);
    this.#layers = [...this.#layers, layer];
    return () => {
      this.#layers = this.#layers.filter((other) => other !== layer);
    };
  }

  /** Runs a job inside all middleware. `wasRun` is false if a middleware did not call `next`. Rejects with the error of the job or middleware. */
  async run(context: JobExecutionContext, execute: () => unknown): Promise<JobAnswer> {
    const layers = this.#layers;
    const result = { wasRun: false, answer: undefined as unknown };
    const runFrom = async (depth: number): Promise<unknown> => {
      const layer = layers[depth];
      if (layer !== undefined) {
        await throughLayer(layer, context, () => runFrom(depth + 1));
      } else {
        result.wasRun = true;
        result.answer = await execute();
      }
      return result.answer;
    };
    await currentContext.run(context, () => runFrom(0));
    return result;
  }
}

interface JobAnswer {
  readonly wasRun: boolean;
  /** Return value of the job; undefined if the job did not run or threw. */
  readonly answer: unknown;
}

/** Runs one middleware around the inner layers. Settles after the inner layers have ended, even if the middleware returns or throws earlier. */
async function throughLayer(
  layer: JobMiddleware,
  context: JobExecutionContext,
  runInner: () => Promise<unknown>,
): Promise<void> {
  const inner: { running: Promise<unknown> | null; given: Watched | null } = { running: null, given: null };
  let isOver = false;
  const next = (): Promise<unknown> => {
    if (isOver || inner.running !== null) throw notNow(isOver ? 'after the middleware had returned' : 'twice');
    inner.running = runInner();
    inner.given = Watched.of(inner.running);
    return inner.given;
  };
  try {
    await layer(context, next);
  } finally {
    isOver = true;
    await inner.running?.catch(() => {});
  }
  if (inner.given?.isAwaited === false) await inner.running;
}

/** Promise that records whether it was awaited. If a middleware does not await `next`, a failure of the job still fails the run. */
class Watched extends Promise<unknown> {
  isAwaited = false;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static of(promise: Promise<unknown>): Watched {
    const watched = new Watched((resolve) => resolve(promise));
    // Prevents an unhandled rejection, which would end the process. Calls the base method, so that `isAwaited` stays false.
    Promise.prototype.then.call(watched, undefined, () => {});
    return watched;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  override then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onFulfilled, onRejected);
  }
}

function notNow(found: string): SchedulerError {
  return badArgument(`Expected a middleware to call next() once, before it returns; it was called ${found}.`);
}
