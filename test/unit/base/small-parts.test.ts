import { toError } from '../../../src/base/errors';
import { systemRandom } from '../../../src/base/ids';
import { isThenable } from '../../../src/base/is-thenable';
import { ManualClock } from '../../../src/base/manual-clock';
import { PendingCount } from '../../../src/base/pending-count';
import { completesWithin, sleepFor } from '../../../src/base/sleep';
import { atOnce, inSlices, mapping } from '../../../src/base/steps';
import { TimeSlice, yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { countTurns, HastyClock } from '../../support/turns';

const never = new AbortController().signal;

describe('toError', () => {
  it('returns an Error unchanged and wraps any other value, even if it cannot be printed', () => {
    const error = new Error('kept');
    expect(toError(error)).toBe(error);
    expect(toError(undefined)).toMatchObject({ message: 'undefined' });
    expect(toError('text')).toMatchObject({ message: 'text', cause: 'text' });
    expect(toError(Symbol('odd')).message).toBe('Symbol(odd)');
    expect(toError(Object.create(null)).message).toBe('[Object: null prototype] {}');
    expect(toError({ status: 503 }).message).toBe('{ status: 503 }');
  });
});

describe('systemRandom', () => {
  it('uses all characters equally often, even as the first character', () => {
    const counts = new Map<string, number>();
    const tokens = Array.from({ length: 7_200 }, () => systemRandom.token(8));
    for (const [first = ''] of tokens) counts.set(first, (counts.get(first) ?? 0) + 1);
    expect([...counts.keys()].sort().join('')).toBe('0123456789abcdefghijklmnopqrstuvwxyz');
    // Expected: 200 for each character, with a standard deviation of 14.
    expect(Math.max(...counts.values())).toBeLessThan(300);
    expect(Math.min(...counts.values())).toBeGreaterThan(100);
    expect(tokens.every((token) => /^[0-9a-z]{8}$/.test(token))).toBe(true);
    expect(systemRandom.token(100)).toHaveLength(100);
  });
});

describe('work in steps', () => {
  const doubled = () => mapping([1, 2, 3], (item) => 2 * item);

  it('runs at once, or in slices that yield to the event loop between two slices', async () => {
    expect(atOnce(doubled())).toEqual([2, 4, 6]);
    const inTurns = async (slice: TimeSlice) => countTurns(() => inSlices(doubled(), slice));
    expect(await inTurns(new TimeSlice(new HastyClock()))).toEqual({ result: [2, 4, 6], turns: 4 });
    expect(await inTurns(new TimeSlice(new ManualClock(0)))).toEqual({ result: [2, 4, 6], turns: 0 });
  });

  it('rejects with the error of a step', async () => {
    const failing = mapping([1], () => {
      throw new Error('no');
    });
    await expect(inSlices(failing, new TimeSlice(new HastyClock()))).rejects.toThrow('no');
  });
});

describe('isThenable', () => {
  const withThen = (value: unknown) => Object.fromEntries([['then', value]]);

  it('is true for any object with a then method, and false for other values', () => {
    expect([Promise.resolve(), withThen(() => {})].map(isThenable)).toEqual([true, true]);
    expect([null, undefined, 1, 'then', {}, withThen(1), () => {}].map(isThenable)).toEqual(Array(7).fill(false));
  });
});

describe('PendingCount', () => {
  it('resolves at once if nothing is pending, otherwise when the last item has ended', async () => {
    const pending = new PendingCount();
    await pending.whenNone();
    pending.begin();
    pending.begin();
    let isNone = false;
    const none = pending.whenNone().then(() => {
      isNone = true;
    });
    pending.end();
    await yieldToEventLoop();
    expect([isNone, pending.count]).toEqual([false, 1]);
    pending.end();
    await none;
    expect(pending.count).toBe(0);
  });
});

describe('sleepFor', () => {
  it('is neither shortened nor prolonged by a step of the wall clock', async () => {
    const clock = new ManualClock(1_000_000);
    let isDone = false;
    const sleep = sleepFor(clock, 60_000, never).then(() => {
      isDone = true;
    });
    clock.advanceBy(20_000);
    clock.stepTo(9_000_000);
    await yieldToEventLoop();
    clock.stepTo(0);
    await yieldToEventLoop();
    clock.advanceBy(39_999);
    await yieldToEventLoop();
    expect(isDone).toBe(false);
    clock.advanceBy(1);
    await sleep;
  });

  it('ends when aborted, and returns at once for a duration of 0', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const sleep = sleepFor(clock, 1_000, controller.signal);
    controller.abort();
    await sleep;
    await sleepFor(clock, 0, never);
    expect(clock.nextWakeTime).toBeNull();
  });
});

describe('completesWithin', () => {
  it('returns whether a promise settles in time, even if it rejects, and leaves no timer', async () => {
    const clock = new ManualClock();
    expect(await completesWithin(clock, 100, Promise.resolve())).toBe(true);
    expect(await completesWithin(clock, 100, Promise.reject(new Error('no')))).toBe(true);
    const late = completesWithin(clock, 100, new Promise(() => {}));
    clock.advanceBy(100);
    expect(await late).toBe(false);
    expect(clock.nextWakeTime).toBeNull();
  });
});

describe('TimeSlice', () => {
  it('has ended after five milliseconds, and restarts with begin', () => {
    const clock = new ManualClock();
    const slice = new TimeSlice(clock);
    clock.advanceBy(4);
    expect(slice.isOver()).toBe(false);
    clock.advanceBy(1);
    expect(slice.isOver()).toBe(true);
    slice.begin();
    expect(slice.isOver()).toBe(false);
  });
});
