import { setMaxListeners } from 'node:events';
import type { Clock } from './clock';

/** Signal that never aborts. Has no limit on listeners, because each sleep adds one. */
export const NEVER: AbortSignal = new AbortController().signal;
setMaxListeners(0, NEVER);

/** Resolves after `duration` milliseconds of monotonic time, or when `signal` aborts. Jumps of the wall clock have no effect. */
export async function sleepFor(clock: Clock, duration: number, signal: AbortSignal): Promise<void> {
  if (clock.sleepFor !== undefined) return clock.sleepFor(duration, signal);
  const end = clock.monotonic() + duration;
  for (let left = duration; left > 0 && !signal.aborted; left = end - clock.monotonic()) {
    await clock.sleepUntil(clock.now() + Math.ceil(left), signal);
  }
}

/** Waits up to `timeoutMs` for a promise to settle. Returns true if it has settled by then. */
export async function completesWithin(clock: Clock, timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const outcome = await Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    sleepFor(clock, timeoutMs, timer.signal).then(() => false),
  ]);
  timer.abort();
  return outcome;
}
