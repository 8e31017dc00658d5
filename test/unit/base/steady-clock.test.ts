import { ClockWatch } from '../../../src/base/clock';
import { ManualClock } from '../../../src/base/manual-clock';
import { SteadyClock } from '../../../src/base/steady-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';

const NOON = Date.UTC(2026, 0, 1, 12);
const never = new AbortController().signal;

let wall: ManualClock;
let clock: SteadyClock;

beforeEach(() => {
  wall = new ManualClock(NOON);
  clock = new SteadyClock(wall);
});

describe('a clock that never goes backwards', () => {
  it('follows the wall clock, even after it was set forward', () => {
    wall.advanceBy(1_000);
    expect(clock.now()).toBe(NOON + 1_000);
    wall.stepTo(NOON + 3_600_000);
    expect([clock.now(), clock.ahead]).toEqual([NOON + 3_600_000, 0]);
  });

  it.each([
    20_000, 3_600_000,
  ])('continues from its own time, but slower, if the wall clock is set back by %d ms', (step) => {
    expect(clock.now()).toBe(NOON);
    wall.stepTo(NOON - step);
    expect([clock.now(), clock.ahead]).toEqual([NOON, step]);
    wall.advanceBy(10_000);
    expect(clock.now()).toBe(NOON + 9_500);
    wall.advanceBy(step * 20);
    expect([clock.now(), clock.ahead]).toEqual([wall.now(), 0]);
  });

  it('never shows an earlier time than before, even if the wall clock is set back', () => {
    let last = clock.now();
    for (const step of [-700, 300, -86_400_000, 400, 86_400_000, -60_000, -1, 3, -40]) {
      wall.stepTo(wall.now() + step);
      wall.advanceBy(100);
      expect(clock.now()).toBeGreaterThanOrEqual(last);
      last = clock.now();
    }
  });

  it('continues without a gap if the wall clock is corrected', () => {
    wall.stepTo(NOON - 20_000);
    expect(clock.now()).toBe(NOON);
    wall.stepTo(NOON);
    expect([clock.now(), clock.ahead]).toEqual([NOON, 0]);
  });

  it('reports a step once, and does not report its correction', () => {
    const watch = new ClockWatch(clock);
    wall.stepTo(NOON - 20_000);
    expect(watch.check()).toBe(-20_000);
    for (let seconds = 0; seconds < 500; seconds++) {
      wall.advanceBy(1_000);
      expect(watch.check()).toBe(0);
    }
  });

  it('wakes sleepers at its own time', async () => {
    let isAwake = false;
    void clock.sleepUntil(NOON + 9_500, never).then(() => {
      isAwake = true;
    });
    wall.stepTo(NOON - 20_000);
    for (let at = 0; at < 100 && !isAwake; at++) {
      wall.advanceBy(100);
      for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
    }
    expect(isAwake).toBe(true);
    expect(clock.now()).toBeGreaterThanOrEqual(NOON + 9_500);
    expect(wall.monotonic()).toBeGreaterThanOrEqual(10_000 - 200);
  });
});
