import { Availability } from '../../../src/base/availability';
import type { RandomSource } from '../../../src/base/ids';
import { ManualClock } from '../../../src/base/manual-clock';
import { backoffDelay, retry } from '../../../src/base/retry';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';

const lowest: RandomSource = { token: (length) => '0'.repeat(length) };
const highest: RandomSource = { token: (length) => 'z'.repeat(length) };

describe('backoffDelay', () => {
  it('doubles up to the maximum delay', () => {
    const delays = [1, 2, 3, 4, 5, 500].map((failures) =>
      Math.round(backoffDelay(failures, { firstDelay: 100, maxDelay: 1_000, random: highest })),
    );
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('is between half of the delay and the full delay', () => {
    const least = backoffDelay(1, { firstDelay: 100, maxDelay: 1_000, random: lowest });
    const most = backoffDelay(1, { firstDelay: 100, maxDelay: 1_000, random: highest });
    expect(least).toBe(50);
    expect(most).toBeGreaterThan(99.99);
    expect(most).toBeLessThan(100);
  });
});

describe('retry', () => {
  function setUp(failures: number) {
    const clock = new ManualClock();
    const controller = new AbortController();
    const attempts: number[] = [];
    const heard: number[] = [];
    const work = async () => {
      attempts.push(clock.now());
      if (attempts.length <= failures) throw new Error(`failure ${attempts.length}`);
      return 'done';
    };
    const run = () =>
      retry(work, {
        availability: new Availability(clock),
        random: lowest,
        signal: controller.signal,
        firstDelay: 100,
        maxDelay: 1_000,
        lastAttempts: 3,
        onFailure: (_, attempt) => heard.push(attempt),
      });
    return { clock, controller, attempts, heard, run };
  }

  it('returns the first success without waiting', async () => {
    const { run, attempts } = setUp(0);
    await expect(run()).resolves.toBe('done');
    expect(attempts).toEqual([0]);
  });

  it('waits longer after each failure, and reports every failure', async () => {
    const { clock, run, attempts, heard } = setUp(3);
    const result = run();
    for (let i = 0; i < 3; i++) {
      await yieldToEventLoop();
      clock.advanceTo(clock.nextWakeTime!);
    }
    await expect(result).resolves.toBe('done');
    expect(attempts).toEqual([0, 50, 150, 350]);
    expect(heard).toEqual([1, 2, 3]);
  });

  it('makes its last attempts without delay once aborted, then rejects with the last error', async () => {
    const { controller, run, attempts } = setUp(Number.POSITIVE_INFINITY);
    const result = run();
    await yieldToEventLoop();
    controller.abort();
    await expect(result).rejects.toThrow('failure 4');
    expect(attempts).toEqual([0, 0, 0, 0]);
  });
});
