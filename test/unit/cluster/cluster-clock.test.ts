import { ClockWatch } from '../../../src/base/clock';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { ClusterClock } from '../../../src/cluster/cluster-clock';

const never = new AbortController().signal;

let local: ManualClock;
let steps: number[];
let clock: ClusterClock;

beforeEach(() => {
  local = new ManualClock(1_000_000);
  steps = [];
  clock = new ClusterClock(local, (step) => steps.push(step));
});

/** A reading of a store clock that is ahead of the local clock by `ahead` more than at the start. */
const sample = (ahead: number, trip = 2, readAfter = trip) => {
  const startedAt = local.monotonic();
  local.advanceBy(trip);
  clock.add({ startedAt, endedAt: local.monotonic(), now: 1_000_000 + startedAt + readAfter + ahead });
};

describe('the clock of the cluster', () => {
  it('equals the local clock until the store clock is known', () => {
    local.advanceBy(500);
    expect(clock.now()).toBe(1_000_500);
  });

  it('equals the store clock after the first reading', () => {
    sample(3_600_000);
    expect(clock.now()).toBe(local.now() + 3_600_000);
    expect(steps).toEqual([]);
  });

  it('is unaffected by steps of the local wall clock', () => {
    sample(100);
    local.stepTo(0);
    expect(clock.now()).toBe(1_000_000 + local.monotonic() + 100);
  });

  it('prefers the readings with the shortest round trips', () => {
    for (let index = 0; index < 9; index++) sample(0);
    for (let index = 0; index < 4; index++) sample(900, 2_000);
    local.advanceBy(60_000);
    expect(clock.now()).toBe(local.now());
  });

  it.each([
    0, 1, 2, 3, 4,
  ])('is never ahead of a near store that reads its clock %d ms into a trip of 4 ms', (readAfter) => {
    sample(0, 4, readAfter);
    expect(clock.now() - local.now()).toBe(readAfter - 4);
  });

  it.each([
    ['the request', 150],
    ['the response', 0],
  ])('is wrong by at most half of a long trip plus 10 ms if %s took all of it', (_, readAfter) => {
    sample(0, 150, readAfter);
    expect(clock.now() - local.now()).toBe(readAfter - 85);
  });

  it('drifts towards the store clock by at most 50 ms a second', () => {
    sample(0);
    for (let index = 0; index < 9; index++) sample(200);
    const before = clock.now() - local.now();
    local.advanceBy(1_000);
    expect(clock.now() - local.now() - before).toBe(50);
    local.advanceBy(10_000);
    expect(clock.now() - local.now()).toBe(200);
  });

  it('never runs backwards while it drifts', () => {
    sample(1_000);
    let last = clock.now();
    for (let index = 0; index < 20; index++) {
      sample(0);
      local.advanceBy(10);
      expect(clock.now()).toBeGreaterThanOrEqual(last);
      last = clock.now();
    }
  });

  it('follows a store clock that was set forward, and reports the step', () => {
    sample(0);
    sample(7_200_000);
    expect(clock.now()).toBe(local.now() + 7_200_000);
    expect(steps).toEqual([7_200_000]);
    expect(clock.ahead).toBe(0);
  });

  it('continues from its own time, at a slower pace, after the store clock was set back, and reports the step', () => {
    sample(0);
    const watch = new ClockWatch(clock);
    const before = clock.now();
    sample(-20_000);
    expect(steps).toEqual([-20_000]);
    expect([clock.now() - before, clock.ahead, watch.check()]).toEqual([2, 20_000, -20_000]);
    local.advanceBy(100_000);
    sample(-20_000);
    expect(clock.now() - before).toBeCloseTo(95_002, -1);
    expect(watch.check()).toBe(0);
    local.advanceBy(310_000);
    expect([clock.now() - local.now(), clock.ahead]).toEqual([-20_000, 0]);
  });

  it('does not mistake a slow answer for a step of the clock', () => {
    sample(0);
    sample(7_000, 20_000, 10_000);
    expect(steps).toEqual([]);
  });

  it('wakes sleepers at its own time, even if it is corrected during their sleep', async () => {
    sample(0);
    let isAwake = false;
    const slept = clock.sleepUntil(clock.now() + 10_000, never).then(() => {
      isAwake = true;
    });
    sample(6_000, 0);
    for (let second = 0; second < 4; second++) {
      expect(isAwake).toBe(false);
      local.advanceBy(1_000);
      for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    }
    expect(isAwake).toBe(true);
    await slept;
  });

  it('uses few timers for a long sleep', async () => {
    sample(0);
    const slept = clock.sleepUntil(clock.now() + 32_000, never);
    let timers = 0;
    for (; local.nextWakeTime !== null; timers++) {
      local.advanceTo(local.nextWakeTime);
      for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    }
    await slept;
    expect(timers).toBe(6); // 16, 8, 4, 2, 1 and 1 s
  });

  it('wakes sleepers at once when it is set past their time', async () => {
    sample(0);
    const slept = clock.sleepUntil(clock.now() + 3_600_000, never);
    sample(7_200_000);
    await slept;
    expect(local.nextWakeTime).toBeNull();
  });

  it('stops sleeping when aborted', async () => {
    const controller = new AbortController();
    const slept = clock.sleepUntil(clock.now() + 10_000, controller.signal);
    controller.abort();
    await slept;
  });

  it('sleeps until the exact time, not until the end of its millisecond', async () => {
    const naps: number[] = [];
    const sleepFor = async (duration: number) => {
      naps.push(duration);
      local.advanceBy(duration);
    };
    const precise = new ClusterClock({
      now: () => local.now(),
      monotonic: () => local.monotonic(),
      sleepUntil: (time, signal) => local.sleepUntil(time, signal),
      sleepFor,
    });
    precise.add({ startedAt: local.monotonic(), endedAt: local.monotonic(), now: 5_000_000.75 });
    await precise.sleepUntil(5_000_002, never);
    expect(naps).toEqual([1.25]);
  });

  it('takes the time of a reading as the time of its arrival', () => {
    const startedAt = local.monotonic();
    local.advanceBy(10);
    clock.add({ startedAt, endedAt: local.monotonic(), now: 5_000_005 });
    expect(clock.now()).toBe(5_000_005); // rather late by the trip back than early
  });
});
