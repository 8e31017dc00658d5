import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';

/** Between two transactions of a large piece of work: whoever waits for the lock takes it, and another process finds the file free. */
const BREAK_MS = 20;

/** Leaves the lock to others between two portions of work. False: `signal` has aborted, and no further portion should begin. */
export async function betweenPortions(clock: Clock, signal: AbortSignal): Promise<boolean> {
  await sleepFor(clock, BREAK_MS, signal);
  return !signal.aborted;
}
