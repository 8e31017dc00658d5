import type { Clock } from './clock';
import { WakeSignal } from './wake-signal';
import { yieldToEventLoop } from './yield-to-event-loop';

/** Component that can be started and stopped repeatedly. `stop` has no effect if the component is not started. */
export interface Service {
  readonly name: string;
  start(): Promise<void>;
  /** Resolves when all work in progress has ended. */
  stop(): Promise<void>;
}

interface Run {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Service that runs one loop. `run` must not reject, and must return soon after its signal aborts. */
export class LoopService implements Service {
  readonly name: string;
  readonly #loop: (signal: AbortSignal) => Promise<void>;
  #run: Run | null = null;

  constructor(name: string, run: (signal: AbortSignal) => Promise<void>) {
    this.name = name;
    this.#loop = run;
  }

  get isRunning(): boolean {
    return this.#run !== null && !this.#run.controller.signal.aborted;
  }

  async start(): Promise<void> {
    // Waits for a stop in progress, because two concurrent loops would acquire triggers twice.
    while (this.#run?.controller.signal.aborted) await this.#run.ended;
    if (this.#run !== null) return;
    const controller = new AbortController();
    const run: Run = { controller, ended: this.#loop(controller.signal).finally(() => this.#forget(controller)) };
    this.#run = run;
  }

  async stop(): Promise<void> {
    const run = this.#run;
    run?.controller.abort();
    await run?.ended;
  }

  #forget(controller: AbortController): void {
    if (this.#run?.controller === controller) this.#run = null;
  }
}

interface PeriodicOptions {
  readonly clock: Clock;
  /** Time between the end of an iteration and the start of the next, in milliseconds of monotonic time. */
  readonly interval: number;
  /** Runs one iteration. Returns true if more work is waiting, so that the next iteration starts immediately. Must not reject. */
  readonly runOnce: (signal: AbortSignal) => Promise<boolean>;
}

/** Service that runs an iteration at start, then after every `interval`, or earlier if `runNow` is called. */
export class PeriodicService implements Service {
  readonly name: string;
  readonly #options: PeriodicOptions;
  readonly #wake: WakeSignal;
  readonly #loop: LoopService;

  constructor(name: string, options: PeriodicOptions) {
    this.name = name;
    this.#options = options;
    this.#wake = new WakeSignal(options.clock);
    this.#loop = new LoopService(name, (signal) => this.#run(signal));
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Ends the current wait. During an iteration, skips the wait after it. */
  runNow(): void {
    this.#wake.notify(null);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { interval, runOnce } = this.#options;
    while (!signal.aborted) {
      this.#wake.clear();
      const hasMore = await runOnce(signal);
      if (hasMore) await yieldToEventLoop();
      else await this.#wake.waitFor(interval, signal);
    }
  }
}
