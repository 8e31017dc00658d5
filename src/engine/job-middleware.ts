import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobExecutionContext, JobMiddleware } from '../api/scheduler';
import { SchedulerError } from '../base/errors';

/** Carries the context of a job to everything it calls. */
const currentContext = new AsyncLocalStorage<JobExecutionContext>();

/**
 * The context of the job that runs the present code, however deep below it, also after an `await`; null outside of jobs. Known of the jobs
 * of schedulers with middleware (`scheduler.use`) or with the option `currentJobContext` of `createScheduler`; of others always null.
 */
export function currentJobContext(): JobExecutionContext | null {
  return currentContext.getStore() ?? null;
}

/** What runs around every execution of a job, the first added outermost. */
export class JobMiddlewares {
  #layers: readonly JobMiddleware[] = [];
  readonly #isAlwaysTracked: boolean;

  /** `tracks`: `currentJobContext` is to know the job without any middleware, too. */
  constructor(tracks: boolean) {
    this.#isAlwaysTracked = tracks;
  }

  /** Nothing is to be done around a job: it is executed as it is. */
  get isEmpty(): boolean {
    return this.#layers.length === 0 && !this.#isAlwaysTracked;
  }

  /** For executions that begin from now on. Returns the function that takes it away again. */
  add(middleware: JobMiddleware): () => void {
    // A function of its own, because the same middleware may be added twice.
    const layer: JobMiddleware = (context, next) => middleware(context, next);
    this.#layers = [...this.#layers, layer];
    return () => {
      this.#layers = this.#layers.filter((other) => other !== layer);
    };
  }

  /** Runs a job inside of all of them. `wasRun`: none of them kept it from running. Rejects with what the job, or one of them, threw. */
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

/** What became of a job inside of its middleware. */
interface JobAnswer {
  readonly wasRun: boolean;
  /** What the job returned; undefined when a middleware caught what it threw. */
  readonly answer: unknown;
}

/** Ends after everything inside of the layer has ended, however the layer ends. */
async function throughLayer(
  layer: JobMiddleware,
  context: JobExecutionContext,
  runInner: () => Promise<unknown>,
): Promise<void> {
  const inner: { running: Promise<unknown> | null; given: Watched | null } = { running: null, given: null };
  let isOver = false;
  const next = (): Promise<unknown> => {
    if (isOver || inner.running !== null) throw notNow(isOver ? 'after it has ended' : 'a second time');
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

/** Knows whether anybody has waited for it: who forgets to wait for the job must not turn its failure into a success. */
class Watched extends Promise<unknown> {
  isAwaited = false;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static of(promise: Promise<unknown>): Watched {
    const watched = new Watched((resolve) => resolve(promise));
    // Of the class above: a rejection that nobody waits for would end the process.
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
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a middleware to call next() once, while it runs; found ${found}.`,
  );
}
