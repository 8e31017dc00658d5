import type { Clock, EpochMs } from '../base/clock';
import { NEVER, sleepFor } from '../base/sleep';

/** Number of lines of one code that are written one by one in a burst. */
const SINGLE_LINES = 10;

/** Duration of a burst in milliseconds, counted from its first line. One line then replaces all lines after the first ten. */
const BURST_MS = 5_000;

interface Burst {
  lines: number;
  /** Number of lines that were not written. */
  omitted: number;
  oldest: EpochMs | null;
}

/** Limits log lines that may come once per trigger: after the first ten of a burst, it counts them and writes one line. */
export class LineBursts {
  readonly #clock: Clock;
  readonly #bursts = new Map<string, { readonly burst: Burst; readonly write: (burst: Readonly<Burst>) => void }>();

  /** `clock` must not keep the process alive. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if the line must be written now. Otherwise `write` is called at the end of the burst, with the number of lines and their oldest time. */
  admits(code: string, time: EpochMs | null, write: (burst: Readonly<Burst>) => void): boolean {
    const { burst } = this.#bursts.get(code) ?? this.#begin(code, write);
    burst.lines++;
    if (burst.lines <= SINGLE_LINES) return true;
    burst.omitted++;
    if (time !== null) burst.oldest = Math.min(time, burst.oldest ?? time);
    return false;
  }

  /** Ends all bursts, and writes their lines. */
  end(): void {
    for (const code of [...this.#bursts.keys()]) this.#end(code);
  }

  #begin(code: string, write: (burst: Readonly<Burst>) => void) {
    const started = { burst: { lines: 0, omitted: 0, oldest: null }, write };
    this.#bursts.set(code, started);
    void sleepFor(this.#clock, BURST_MS, NEVER).then(() => {
      if (this.#bursts.get(code) === started) this.#end(code);
    });
    return started;
  }

  #end(code: string): void {
    const ended = this.#bursts.get(code);
    this.#bursts.delete(code);
    if (ended !== undefined && ended.burst.omitted > 0) ended.write(ended.burst);
  }
}
