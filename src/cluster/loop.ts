import type { Clock } from '../base/clock';
import { LoopService } from '../base/service';
import { sleepFor } from '../base/sleep';
import { Outage } from '../events/outage';
import type { NodeHooks } from './node-hooks';

export interface LoopOptions {
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  /** What is being done, as the event of a failure tells it. */
  readonly during: string;
  readonly runOnce: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds of monotonic time until the next run. */
  readonly delay: () => number;
}

/**
 * Runs at once when started, and then again and again. A run that fails ends itself, never the loop; of an outage only
 * the first failure is told.
 */
export function loopOf(name: string, { clock, publish, during, runOnce, delay }: LoopOptions): LoopService {
  const outage = new Outage(clock, { publish });
  return new LoopService(name, async (signal) => {
    while (!signal.aborted) {
      try {
        await runOnce(signal);
        outage.end();
      } catch (thrown) {
        outage.report(during, thrown);
      }
      await sleepFor(clock, delay(), signal);
    }
  });
}
