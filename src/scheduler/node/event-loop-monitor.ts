import type { Clock } from '../../base/clock';
import { LoopService } from '../../base/service';
import { settlesWithin, sleepFor } from '../../base/sleep';

export interface EventLoopMonitorParts {
  readonly clock: Clock;
  /** Pings the main thread. Resolves with true if a debugger is attached, so that stalls must be ignored. */
  readonly ask: () => Promise<boolean>;
  /** True if a stall would matter now. */
  readonly isWatched: () => boolean;
}

/**
 * Interval between an answer and the next ping, while a stall would matter. The other interval applies while it would
 * not.
 */
const INTERVAL_MS = 500;
const UNWATCHED_INTERVAL_MS = 1_000;
/**
 * While a stall would not matter, only every fifth round pings, because each ping wakes two threads of an idle node.
 */
const UNWATCHED_ROUNDS = 5;

/**
 * Without an answer, the stall is counted in steps. A step longer than `MAX_STEP_MS` counts as that long, because the
 * whole process was suspended.
 */
const STEP_MS = 125;
const MAX_STEP_MS = 500;

/**
 * Measures from the store's thread for how long the event loop of the main thread has been blocked, for example by a
 * job. After the process was suspended (SIGSTOP, a suspended machine), the main thread gets the full time to answer.
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

  /** Time since the main thread last answered, in milliseconds. */
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
    const answer = this.#parts.ask().then((isDebugged) => {
      this.#isDebugged = isDebugged;
    });
    await this.#count(untilAborted(answer, signal));
  }

  async #count(answer: Promise<void>): Promise<void> {
    const { clock } = this.#parts;
    for (;;) {
      const since = clock.monotonic();
      if (await settlesWithin(clock, STEP_MS, answer)) break;
      this.#stall += Math.min(clock.monotonic() - since, MAX_STEP_MS);
    }
    this.#stall = 0;
  }
}

/**
 * Settles like `answer`, or resolves when `signal` aborts. `Promise.race` with a long-lived promise would keep every
 * answer in memory.
 */
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
