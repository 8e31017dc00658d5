import type { Clock } from '../../base/clock';
import { LoopService } from '../../base/service';
import { completesWithin, sleepFor } from '../../base/sleep';

interface EventLoopMonitorParts {
  readonly clock: Clock;
  /** Pings the main thread. Resolves when the main thread's event loop responds, with true if a debugger is attached and stalls must be ignored. */
  readonly query: () => Promise<boolean>;
  /** True while a job runs that must not run on two nodes at the same time. Only then does a stall matter. */
  readonly isWatched: () => boolean;
}

/** Pause between two rounds in milliseconds: `INTERVAL_MS` while a stall matters, otherwise `UNWATCHED_INTERVAL_MS`. */
const INTERVAL_MS = 500;
const UNWATCHED_INTERVAL_MS = 1_000;
/** While a stall does not matter, only every fifth round pings the main thread, because each ping wakes two threads of an idle node. */
const UNWATCHED_ROUNDS = 5;

/**
 * Length of the steps in which a stall is measured while the main thread does not respond, in milliseconds. A step that took longer than
 * `MAX_STEP_MS` counts as `MAX_STEP_MS`, because the whole process was suspended during it.
 */
const STEP_MS = 125;
const MAX_STEP_MS = 500;

/**
 * Measures how long the main thread's event loop has been blocked, for example by a job. Runs in the store's thread. After the process was suspended
 * (SIGSTOP, machine sleep), the main thread again gets the full time to respond.
 */
export class EventLoopMonitor {
  readonly service: LoopService;
  readonly #parts: EventLoopMonitorParts;
  #stall = 0;
  #isDebugged = false;

  constructor(parts: EventLoopMonitorParts) {
    this.#parts = parts;
    this.service = new LoopService('event loop monitor', (signal) => this.#run(signal));
  }

  get isDebugged(): boolean {
    return this.#isDebugged;
  }

  /** Time for which the main thread has not responded, in milliseconds. 0 while a debugger is attached. */
  get stall(): number {
    return this.#isDebugged ? 0 : this.#stall;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, isWatched } = this.#parts;
    for (let round = 0; !signal.aborted; round++) {
      if (isWatched() || round % UNWATCHED_ROUNDS === 0) await this.#probe(signal);
      await sleepFor(clock, isWatched() ? INTERVAL_MS : UNWATCHED_INTERVAL_MS, signal);
    }
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const answer = this.#parts.query().then((isDebugged) => {
      this.#isDebugged = isDebugged;
    });
    await this.#count(untilAborted(answer, signal));
  }

  async #count(answer: Promise<void>): Promise<void> {
    const { clock } = this.#parts;
    for (;;) {
      const since = clock.monotonic();
      if (await completesWithin(clock, STEP_MS, answer)) break;
      this.#stall += Math.min(clock.monotonic() - since, MAX_STEP_MS);
    }
    this.#stall = 0;
  }
}

/** Resolves or rejects as `answer` does, or resolves when `signal` aborts. `Promise.race` with a promise that lives long would leak each answer. */
function untilAborted(answer: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', end);
    answer.then(end, (error) => {
      signal.removeEventListener('abort', end);
      reject(error);
    });
  });
}
