import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { sleepFor } from '../base/sleep';
import { WakeSignal } from '../base/wake-signal';
import { ErrorThrottle } from '../events/error-throttle';
import type { NodeHooks } from './node-hooks';

interface LoopOptions {
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  /** Activity of the loop, for the `schedulerError` event. Example: "checking in". */
  readonly during: string;
  readonly runOnce: (signal: AbortSignal) => Promise<void>;
  /** Delay before the first call of `runOnce`, in milliseconds. Default: 0. */
  readonly firstDelayMs?: number;
  /** Called when a call of `runOnce` succeeds after a failed one. */
  readonly onRecovered?: () => void;
  /** Returns the delay before the next call of `runOnce`, in milliseconds of monotonic time. */
  readonly delay: () => number;
  /** Maximum delay after a failed call of `runOnce`, in milliseconds. Default: no maximum. */
  readonly retryDelayMs?: number;
  /** Ends the delay when it is notified. Default: nothing ends it. */
  readonly wake?: WakeSignal;
}

/** Creates a service that calls `runOnce` repeatedly. An error never ends the loop; only the first of consecutive errors is published. */
export function loopOf(name: string, options: LoopOptions): LoopService {
  const { clock, publish, during, runOnce, onRecovered, delay } = options;
  const { firstDelayMs = 0, retryDelayMs = Number.POSITIVE_INFINITY, wake = new WakeSignal(clock) } = options;
  const errors = new ErrorThrottle(clock, { publish });
  return new LoopService(name, async (signal) => {
    if (firstDelayMs > 0) await sleepFor(clock, firstDelayMs, signal);
    while (!signal.aborted) {
      let maxDelayMs = Number.POSITIVE_INFINITY;
      wake.clear();
      try {
        await runOnce(signal);
        if (errors.end()) onRecovered?.();
      } catch (thrown) {
        errors.report(during, thrown);
        maxDelayMs = retryDelayMs;
      }
      await wake.waitFor(Math.min(delay(), maxDelayMs), signal);
    }
  });
}
