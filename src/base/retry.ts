import type { Availability } from './availability';
import { type RandomSource, randomFraction } from './ids';

/** Delays between attempts, in milliseconds. The delay doubles from `firstDelay` up to `maxDelay`. */
export interface Backoff {
  readonly firstDelay: number;
  readonly maxDelay: number;
  readonly random: RandomSource;
}

interface RetryOptions extends Backoff {
  /** An announcement starts the next attempt immediately. */
  readonly availability: Availability;
  /** When this signal has aborted, attempts follow without delay, and `retry` rejects after `lastAttempts` further failures. */
  readonly signal: AbortSignal;
  readonly lastAttempts: number;
  /** `attempt` counts from 1. */
  readonly onFailure: (error: unknown, attempt: number) => void;
}

/** Delay in milliseconds after a number of failures: random between half and all of the doubled delay, so that nodes do not retry together. */
export function backoffDelay(failures: number, { firstDelay, maxDelay, random }: Backoff): number {
  const full = Math.min(maxDelay, firstDelay * 2 ** Math.min(failures - 1, 40));
  return full / 2 + (full / 2) * randomFraction(random);
}

/** Repeats `work` until it succeeds. After `signal` has aborted, rejects with the error of the `lastAttempts`-th failure from then on. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  let lastAttempts = options.lastAttempts;
  for (let attempt = 1, failures = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      options.onFailure(error, attempt);
      if (options.signal.aborted && --lastAttempts <= 0) throw error;
      const isAnnounced = await options.availability.pause(backoffDelay(failures, options), options.signal);
      failures = isAnnounced ? 1 : failures + 1;
    }
  }
}
