import { ManualClock } from '../../../src/base/manual-clock';

const never = new AbortController().signal;

/** Records the order in which sleepers are woken. */
function sleeper(clock: ManualClock, woken: string[], signal = never) {
  return (name: string, time: number) => clock.sleepUntil(time, signal).then(() => woken.push(name));
}

describe('ManualClock', () => {
  it('stands still until it is moved', () => {
    const clock = new ManualClock(new Date('2027-01-01T00:00:00Z'));
    expect(new Date(clock.now()).toISOString()).toBe('2027-01-01T00:00:00.000Z');
    clock.advanceBy(1_500);
    expect(new Date(clock.now()).toISOString()).toBe('2027-01-01T00:00:01.500Z');
    expect(clock.monotonic()).toBe(1_500);
  });

  it('wakes due sleepers by time, and in order of arrival for equal times', async () => {
    const clock = new ManualClock();
    const woken: string[] = [];
    const sleep = sleeper(clock, woken);
    const all = [sleep('late', 300), sleep('b', 200), sleep('a', 100), sleep('c', 200)];
    expect(clock.wakeTimes).toEqual([100, 200, 200, 300]);
    clock.advanceTo(200);
    await Promise.all([all[1], all[2], all[3]]);
    expect(woken).toEqual(['a', 'b', 'c']);
    expect(clock.nextWakeTime).toBe(300);
  });

  it('does not sleep until a time that has passed', async () => {
    const clock = new ManualClock(100);
    await clock.sleepUntil(100, never);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('removes a sleeper whose signal aborts', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const slept = clock.sleepUntil(100, controller.signal);
    controller.abort();
    await slept;
    expect(clock.nextWakeTime).toBeNull();
    await clock.sleepUntil(100, controller.signal);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('steps the wall clock without time passing, and wakes all sleepers', async () => {
    const clock = new ManualClock(10_000);
    const slept = clock.sleepUntil(20_000, never);
    clock.stepTo(5_000);
    await slept;
    expect([clock.now(), clock.monotonic()]).toEqual([5_000, 0]);
  });

  it('refuses to go backwards, and refuses invalid times', () => {
    const clock = new ManualClock(10);
    expect(() => clock.advanceTo(9)).toThrow(/Expected a time in the future, found 1970-01-01T00:00:00.009Z/);
    expect(() => clock.advanceTo(new Date('never'))).toThrow(/valid Date/);
    expect(() => clock.advanceBy(Number.NaN)).toThrow(/valid Date/);
    expect(() => new ManualClock(Number.POSITIVE_INFINITY)).toThrow(/valid Date/);
  });
});
