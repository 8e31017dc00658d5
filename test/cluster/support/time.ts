import { SystemClock } from '../../../src/base/clock';
import { sleepFor } from '../../../src/base/sleep';

const clock = new SystemClock();

/** Waits in real time, for tests of real processes. */
export const pause = (duration: number) => sleepFor(clock, Math.max(0, duration), new AbortController().signal);

/** The machine's clock. */
export const now = () => clock.now();
