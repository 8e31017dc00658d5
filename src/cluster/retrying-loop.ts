import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { sleepFor } from '../base/sleep';
import { ErrorThrottle } from '../events/error-throttle';
import type { NodeHooks } from './node-hooks';

export interface LoopOptions {
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  /** What is being done, as the event of a failure says it. */
  readonly during: string;
  readonly runOnce: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds from the start until the first run; default 0. */
  readonly firstDelayMs?: number;
  /** Called after each run that succeeds after one that failed. */
  readonly onRecovered?: () => void;
  /** Milliseconds of monotonic time until the next run. */
  readonly delay: () => number;
  /** The same after a run that failed, where that is shorter. */
  readonly retryDelayMs?: number;
}

/** Runs when started, or after the first delay, and then again and again. A run that fails never ends the loop; of an outage only the first failure is reported. */
export function loopOf(name: string, options: LoopOptions): LoopService {
  const { clock, publish, during, runOnce, onRecovered, delay } = options;
  const { firstDelayMs = 0, retryDelayMs = Number.POSITIVE_INFINITY } = options;
  const errors = new ErrorThrottle(clock, { publish });
  return new LoopService(name, async (signal) => {
    if (firstDelayMs > 0) await sleepFor(clock, firstDelayMs, signal);
    while (!signal.aborted) {
      let maxDelayMs = Number.POSITIVE_INFINITY;
      try {
        await runOnce(signal);
        if (errors.end()) onRecovered?.();
      } catch (thrown) {
        errors.report(during, thrown);
        maxDelayMs = retryDelayMs;
      }
      await sleepFor(clock, Math.min(delay(), maxDelayMs), signal);
    }
  });
}
