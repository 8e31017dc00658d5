import { setTimeout as sleep } from 'node:timers/promises';
import type { ManualClock } from '../../../src/testing';

/** Number of turns of the event loop after which all work has run that needs no time to pass. */
const TURNS = 8;

/** More steps than any test needs; after them, the condition will never hold. */
const MAX_STEPS = 60_000;

async function turn(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Advances all clocks together, from one wake time to the next, until `isSo`. Resolves with the elapsed time of the first clock. `end`: latest time.
 * Without a wake time, real work is in progress, and the function waits for it.
 */
export async function passUntil(
  clocks: readonly ManualClock[],
  isSo: () => unknown,
  end = Number.POSITIVE_INFINITY,
): Promise<number> {
  const [first] = clocks as readonly [ManualClock];
  const startedAt = first.monotonic();
  for (let step = 0; step < MAX_STEPS; step++) {
    await turn();
    if (isSo()) return first.monotonic() - startedAt;
    const waits = clocks.flatMap((clock) => (clock.nextWakeTime === null ? [] : [clock.nextWakeTime - clock.now()]));
    const left = end - first.now();
    const next = Math.min(...waits, left);
    if (Number.isFinite(next)) for (const clock of clocks) clock.advanceBy(Math.max(0, next));
  }
  throw new Error(
    `It did not happen within ${Math.round((first.monotonic() - startedAt) / 1_000)} s of time passed by.`,
  );
}

/** Maximum time of a call that only uses files, without the clocks. Milliseconds. */
const PATIENCE = 50;

/** Returns the result of a call. Advances the clocks during the call, but not while it may only read a file. */
export async function settled<T>(clocks: readonly ManualClock[], call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  const patience = new AbortController();
  const ended = call.then(over, over).then(() => patience.abort());
  await Promise.race([ended, sleep(PATIENCE, undefined, patience).catch(() => undefined)]);
  await passUntil(clocks, () => isOver);
  return call;
}
