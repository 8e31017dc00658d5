import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { sleepFor } from '../base/sleep';
import { ErrorThrottle } from '../events/error-throttle';
import type { NodeHooks } from './node-hooks';

export interface LoopOptions {
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  /** What is being done, as the event of a failure tells it. */
  readonly during: string;
  readonly runOnce: (signal: AbortSignal) => Promise<void>;
  /** Hears of each run that succeeds after one that failed. */
  readonly onRecovered?: () => void;
  /** Milliseconds of monotonic time until the next run. */
  readonly delay: () => number;
  /** The same after a run that failed, where that is shorter. */
  readonly retryDelay?: number;
}

/**
 * Runs at once when started, and then again and again. A run that fails ends itself, never the loop; of an outage only
 * the first failure is told.
 */
export function loopOf(
  name: string,
  { clock, publish, during, runOnce, onRecovered, delay, retryDelay = Number.POSITIVE_INFINITY }: LoopOptions,
): LoopService {
  const errors = new ErrorThrottle(clock, { publish });
  return new LoopService(name, async (signal) => {
    while (!signal.aborted) {
      let longest = Number.POSITIVE_INFINITY;
      try {
        await runOnce(signal);
        if (errors.end()) onRecovered?.();
      } catch (thrown) {
        errors.report(during, thrown);
        longest = retryDelay;
      }
      await sleepFor(clock, Math.min(delay(), longest), signal);
    }
  });
}
