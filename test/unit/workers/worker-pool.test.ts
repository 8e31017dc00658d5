import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { AsyncWorkerPool, ZeroSizeWorkerPool } from '../../../src/workers/worker-pool';

const never = new AbortController().signal;

function setUp(size: number) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const pool = new AsyncWorkerPool({ clock, size, onError: (error) => errors.push(error) });
  const ends: (() => void)[] = [];
  const occupy = () => pool.submit(() => new Promise<void>((resolve) => ends.push(resolve)), null);
  return { clock, errors, pool, ends, occupy };
}

describe('AsyncWorkerPool', () => {
  it('returns the number of free workers immediately', () => {
    const { pool, occupy } = setUp(3);
    expect(pool.whenFree(never)).toBe(3);
    occupy();
    expect(pool.whenFree(never)).toBe(2);
    expect(pool.running).toBe(1);
  });

  it('passes the item to the work', async () => {
    const { pool } = setUp(1);
    const seen: number[] = [];
    pool.submit(async (item: number) => void seen.push(item), 7);
    await pool.whenIdle();
    expect(seen).toEqual([7]);
  });

  it('waits for a free worker when all are busy, and counts all that become free together', async () => {
    const { pool, ends, occupy } = setUp(2);
    occupy();
    occupy();
    const free = pool.whenFree(never);
    for (const end of ends) end();
    expect(await free).toBe(2);
  });

  it('returns 0 if the wait for a free worker is aborted', async () => {
    const { pool, occupy } = setUp(1);
    occupy();
    const controller = new AbortController();
    const free = pool.whenFree(controller.signal);
    controller.abort();
    expect(await free).toBe(0);
    expect(await pool.whenFree(controller.signal)).toBe(0);
  });

  it('frees the worker of failed work, and reports the error', async () => {
    const { pool, errors } = setUp(1);
    const error = new Error('broken');
    pool.submit(async () => {
      throw error;
    }, null);
    expect(await pool.whenFree(never)).toBe(1);
    expect(errors).toEqual([error]);
  });

  it('drains immediately if no work is running', async () => {
    const { clock, pool } = setUp(1);
    expect(await pool.drain(1_000)).toEqual({ abandoned: 0 });
    expect(clock.nextWakeTime).toBeNull();
  });

  it('drains as soon as the last work has ended', async () => {
    const { clock, pool, ends, occupy } = setUp(2);
    occupy();
    occupy();
    const drained = pool.drain(1_000);
    for (const end of ends) end();
    expect(await drained).toEqual({ abandoned: 0 });
    expect(clock.nextWakeTime).toBeNull();
  });

  it('stops draining at the deadline and counts the work that is still running', async () => {
    const { clock, pool, ends, occupy } = setUp(2);
    occupy();
    occupy();
    const drained = pool.drain(1_000);
    ends[0]!();
    await yieldToEventLoop();
    clock.advanceBy(1_000);
    expect(await drained).toEqual({ abandoned: 1 });
    expect(await pool.drain(0)).toEqual({ abandoned: 1 });
  });
});

describe('ZeroSizeWorkerPool', () => {
  it('never has a free worker', async () => {
    const pool = new ZeroSizeWorkerPool();
    const controller = new AbortController();
    let answer: number | null = null;
    const free = pool.whenFree(controller.signal).then((count) => {
      answer = count;
    });
    await yieldToEventLoop();
    expect(answer).toBeNull();
    controller.abort();
    await free;
    expect(answer).toBe(0);
    expect(await pool.whenFree(controller.signal)).toBe(0);
  });

  it('refuses work, and drains immediately', async () => {
    const pool = new ZeroSizeWorkerPool();
    expect(() => pool.submit()).toThrow(expect.objectContaining({ code: 'SCHEDULER_STATE' }));
    await pool.whenIdle();
    expect(await pool.drain()).toEqual({ abandoned: 0 });
  });
});
