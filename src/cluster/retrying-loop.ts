import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { sleepFor } from '../base/sleep';
import { ErrorThrottle } from '../events/error-throttle';
import type { NodeHooks } from './node-hooks';

export interface LoopOptions {
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  /** Description of the work for the event of a failure, for example "checking in". */
  readonly during: string;
  readonly runOnce: (signal: AbortSignal) => Promise<void>;
  /** Delay before the first run, in milliseconds; default: 0. */
  readonly firstDelayMs?: number;
  /** Called after a run that succeeds following a failed one. */
  readonly onRecovered?: () => void;
  /** Returns the monotonic time until the next run, in milliseconds. */
  readonly delay: () => number;
  /** Maximum delay after a failed run, in milliseconds. */
  readonly retryDelayMs?: number;
}

/**
 * Creates a service that repeats `runOnce` until it is stopped. A failed run never ends the loop, and only the first
 * failure of an outage is reported.
 */
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
