import { SystemClock } from '../../../src/base/clock';
import { sleepFor } from '../../../src/base/sleep';

const START = Date.UTC(2026, 0, 1);

/** Milliseconds by which the wall clock was stepped. Otherwise both clocks follow the fake timers of jest. */
let stepped = 0;

function stepWallClock(milliseconds: number): void {
  stepped += milliseconds;
}

describe('SystemClock', () => {
  const clock = new SystemClock();
  const never = new AbortController().signal;

  beforeEach(() => {
    stepped = 0;
    jest.useFakeTimers();
    const origin = jest.now();
    jest.spyOn(Date, 'now').mockImplementation(() => START + jest.now() - origin + stepped);
    jest.spyOn(performance, 'now').mockImplementation(() => jest.now() - origin);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** Shows whether a promise has settled after all due timers have fired. */
  function watch(promise: Promise<void>): { isDone: boolean } {
    const state = { isDone: false };
    void promise.then(() => {
      state.isDone = true;
    });
    return state;
  }

  it('sleeps exactly until the wall clock shows the time', async () => {
    const sleep = watch(clock.sleepUntil(START + 90_000, never));
    await jest.advanceTimersByTimeAsync(89_999);
    expect(sleep.isDone).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(sleep.isDone).toBe(true);
  });

  it('does not sleep until a time that has passed', async () => {
    await clock.sleepUntil(START - 1, never);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('sleeps for months, beyond the longest timer of Node', async () => {
    const days = 24 * 3_600_000;
    const sleep = watch(clock.sleepUntil(START + 60 * days, never));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(sleep.isDone).toBe(false);
    stepWallClock(60 * days);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sleep.isDone).toBe(true);
  });

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('wakes within a second when the wall clock is stepped %s', async (_, step) => {
    const sleep = watch(clock.sleepUntil(START + 2 * 3_600_000, never));
    await jest.advanceTimersByTimeAsync(10_000);
    stepWallClock(step);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sleep.isDone).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('wakes at once and leaves no timer when aborted', async () => {
    const controller = new AbortController();
    const sleep = watch(clock.sleepUntil(START + 60_000, controller.signal));
    controller.abort();
    await jest.advanceTimersByTimeAsync(0);
    expect(sleep.isDone).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
    await clock.sleepUntil(START + 60_000, controller.signal);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('sleepFor uses monotonic time while the wall clock is stepped', async () => {
    const sleep = watch(sleepFor(clock, 60_000, never));
    await jest.advanceTimersByTimeAsync(10_000);
    stepWallClock(-3_600_000);
    await jest.advanceTimersByTimeAsync(49_000);
    expect(sleep.isDone).toBe(false);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(sleep.isDone).toBe(true);
  });
});
