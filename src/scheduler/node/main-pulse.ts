import type { Clock } from '../../base/clock';
import { LoopService } from '../../base/service';
import { sleepFor } from '../../base/sleep';

export interface MainPulseParts {
  readonly clock: Clock;
  /** Asks the main thread for a sign of life. True: somebody debugs it, so that standing still means nothing. */
  readonly ask: () => Promise<boolean>;
}

/** Milliseconds between an answer and the next question. */
const INTERVAL = 500;

/** Feels from the store's thread whether the main one still turns: while a job keeps it busy, it answers nothing. */
export class MainPulse {
  readonly service: LoopService;
  readonly #parts: MainPulseParts;
  #askedAt: number | null = null;
  #isDebugged = false;

  constructor(parts: MainPulseParts) {
    this.#parts = parts;
    this.service = new LoopService('main pulse', (signal) => this.#run(signal));
  }

  get isDebugged(): boolean {
    return this.#isDebugged;
  }

  /** For how long the main thread has not answered. Milliseconds. */
  get stall(): number {
    return this.#askedAt === null || this.#isDebugged ? 0 : this.#parts.clock.monotonic() - this.#askedAt;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, ask } = this.#parts;
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    while (!signal.aborted) {
      this.#askedAt = clock.monotonic();
      const answer = ask().then((isDebugged) => {
        this.#isDebugged = isDebugged;
      });
      await Promise.race([answer, stopped]);
      this.#askedAt = null;
      await sleepFor(clock, INTERVAL, signal);
    }
  }
}
