import { setTimeout as sleep } from 'node:timers/promises';
import type { ManualClock } from '../../../src/testing';

/** Turns of the event loop in which whoever can go on without time passing has gone on. */
const TURNS = 8;

/** More steps than any proof needs: something never happens. */
const MAX_STEPS = 60_000;

async function turn(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Lets time pass on all clocks alike, from one who wants to be woken to the next, until it is so; resolves to how long that took on the
 * first one. `end`: no further. Where nobody wants to be woken, something real is under way, and is waited for.
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

/** How long a call may take that needs files, and no time of the clocks. Milliseconds. */
const PATIENCE = 50;

/** The result of a call; time passes while it is under way, but not while it may only be reading a file. */
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
