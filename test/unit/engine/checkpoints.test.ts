import { JobExecutionException } from '../../../src/api/job-execution-exception';
import type { JobExecutionContext } from '../../../src/api/scheduler';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { MAX_CHECKPOINT_BYTES, type SavedCheckpoint } from '../../../src/domain/checkpoint';
import type { JsonValue } from '../../../src/domain/job-data';
import { RunCheckpoints } from '../../../src/engine/checkpoints';
import { codeOf, shutdownAll, testScheduler } from '../scheduler/support';
import { aFiring } from './samples';

afterEach(shutdownAll);

/** Checkpoints of one run, and its writes with their times. `answer` is the outcome of each write. */
function checkpoints(answer: () => Promise<boolean> = async () => true) {
  const clock = new ManualClock(0);
  const written: [number, string][] = [];
  const store = {
    readCheckpoint: async () => null,
    saveCheckpoint: async ({ value }: SavedCheckpoint) => {
      written.push([clock.now(), value]);
      return answer();
    },
  };
  const run = new RunCheckpoints(aFiring(), { clock, store });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
  };
  const to = async (time: number) => {
    clock.advanceTo(time);
    await settle();
  };
  return { run, written, settle, to };
}

/** Records the state of a promise: waiting, stored, or an error code. */
function watched(promise: Promise<void>) {
  const seen = { state: 'waiting' };
  promise.then(
    () => {
      seen.state = 'stored';
    },
    (error: { code: string }) => {
      seen.state = error.code;
    },
  );
  return seen;
}

describe('the checkpoints of a run', () => {
  it('are written at once first, then the newest value once a second', async () => {
    const { run, written, settle, to } = checkpoints();
    const first = watched(run.save(1));
    await settle();
    expect(first.state).toBe('stored');
    const others = [2, 3, 4].map((value) => watched(run.save(value)));
    await to(999);
    expect(others.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    await to(1_000);
    expect(others.map(({ state }) => state)).toEqual(['stored', 'stored', 'stored']);
    await to(1_500);
    void run.save(5);
    await to(1_999);
    expect(written).toEqual([
      [0, '1'],
      [1_000, '4'],
    ]);
    await to(2_000);
    expect(written).toHaveLength(3);
    await to(60_000);
    expect(written).toHaveLength(3);
  });

  it('are written one after another, even if a write takes long', async () => {
    const answers: ((isOurs: boolean) => void)[] = [];
    const { run, written, to } = checkpoints(() => new Promise((resolve) => answers.push(resolve)));
    const first = watched(run.save(1));
    const second = watched(run.save(2));
    await to(5_000);
    expect(written).toHaveLength(1);
    answers[0]?.(true);
    await to(5_000);
    expect(written[1]).toEqual([5_000, '2']);
    expect([first.state, second.state]).toEqual(['stored', 'waiting']);
    answers[1]?.(true);
    await to(5_001);
    expect(second.state).toBe('stored');
  });

  it('are written before the run ends, and are refused after its end', async () => {
    const { run, written, settle } = checkpoints();
    await run.save(1);
    const last = watched(run.save(2));
    await run.end();
    expect(written.map(([, value]) => value)).toEqual(['1', '2']);
    expect(last.state).toBe('stored');
    expect(await codeOf(() => run.save(3))).toBe('SCHEDULER_STATE');
    await settle();
    expect(written).toHaveLength(2);
  });

  it('are refused after another node has taken over the run', async () => {
    const { run, written, to } = checkpoints(async () => false);
    const lost = watched(run.save(1));
    const waiting = watched(run.save(2));
    await to(2_000);
    expect([lost.state, waiting.state]).toEqual(['SCHEDULER_STATE', 'SCHEDULER_STATE']);
    await expect(run.save(3)).rejects.toThrow('another node has taken it over');
    await to(5_000);
    expect(written.length).toBeLessThanOrEqual(2);
  });

  it('reject with the error of the store, and store the next value', async () => {
    let fails = true;
    const { run, to } = checkpoints(async () => {
      if (fails) throw Object.assign(new Error('down'), { code: 'STORE_FAILURE' });
      return true;
    });
    const failed = watched(run.save(1));
    await to(1_000);
    expect(failed.state).toBe('STORE_FAILURE');
    fails = false;
    const next = watched(run.save(2));
    await to(2_000);
    expect(next.state).toBe('stored');
  });

  it.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['not a number', { at: Number.NaN }],
    ['a Date', new Date(0)],
    ['a lone surrogate', '\ud800'],
    ['a value over the maximum size', 'x'.repeat(MAX_CHECKPOINT_BYTES - 1)],
  ])('refuse %s as a value', async (_, value) => {
    const { run, written } = checkpoints();
    expect(await codeOf(() => run.save(value))).toBe('INVALID_ARGUMENT');
    expect(written).toEqual([]);
  });

  it.each([
    [null],
    [0],
    [''],
    [[]],
    ['x'.repeat(MAX_CHECKPOINT_BYTES - 2)],
  ])('accept values up to the maximum size', async (value) => {
    const { run } = checkpoints();
    await expect(run.save(value)).resolves.toBeUndefined();
  });
});

describe('a job with checkpoints', () => {
  /** A job that fails `times` times. It records the checkpoint that it finds and leaves `values` as new ones. */
  function failing(times: number, values: readonly JsonValue[], waits = true) {
    const found: JsonValue[] = [];
    let runs = 0;
    const job = async (context: JobExecutionContext) => {
      found.push(context.resumeFrom);
      for (const value of values) {
        const saved = context.checkpoint([runs, value]);
        if (waits) await saved;
      }
      if (runs++ < times) throw new Error('not yet');
    };
    return { job, found };
  }

  it('resumes each retry from the checkpoint of the run before, and starts its next occurrence without one', async () => {
    const { job, found } = failing(2, ['a']);
    const { scheduler, advanceBy } = await testScheduler();
    await scheduler.schedule('copy', { every: '1h', retry: 'R5/PT1M' }, job);
    await advanceBy(30 * 60_000);
    expect(found).toEqual([null, [0, 'a'], [1, 'a']]);
    await advanceBy(60 * 60_000);
    expect(found).toHaveLength(4);
    expect(found[3]).toBeNull();
  });

  it('keeps the last checkpoint even if it awaits none of them', async () => {
    const { job, found } = failing(1, ['a', 'b', 'c'], false);
    const { scheduler, advanceBy } = await testScheduler();
    await scheduler.schedule('copy', { every: '1h', retry: 'R5/PT1M' }, job);
    await advanceBy(30 * 60_000);
    expect(found).toEqual([null, [0, 'c']]);
  });

  it('finds its checkpoint when a dead letter is rerun, and discards it with the dead letter', async () => {
    const { job, found } = failing(99, ['a']);
    const { scheduler, advanceBy, runDue } = await testScheduler();
    await scheduler.schedule('copy', { cron: '0 0 12 1 1 ?', retry: ['1s'] }, job);
    await advanceBy(13 * 3_600_000);
    expect(found).toEqual([null, [0, 'a']]);
    expect(await scheduler.rerun({ job: 'copy' })).toBe(1);
    await runDue();
    expect(found[2]).toEqual([1, 'a']);
    await advanceBy(60_000);
    const [deadLetter] = (await scheduler.listDeadLetters()).items;
    expect(await scheduler.discard({ job: 'copy' })).toBe(1);
    expect(await scheduler.discard(String(deadLetter?.runId))).toBe(0);
    expect(found[3]).toEqual([2, 'a']);
  });

  it('finds its own checkpoint after an immediate refire', async () => {
    const found: JsonValue[] = [];
    const { scheduler, runDue } = await testScheduler();
    await scheduler.schedule('copy', { every: '1h' }, async (context) => {
      found.push(context.resumeFrom);
      if (context.refireCount > 0) return;
      void context.checkpoint('first');
      void context.checkpoint('second');
      throw new JobExecutionException('again', { refireImmediately: true });
    });
    await runDue();
    expect(found).toEqual([null, 'second']);
  });

  it('cannot store a checkpoint after it has ended', async () => {
    let late: () => Promise<void> = async () => undefined;
    const { scheduler, runDue } = await testScheduler();
    await scheduler.schedule('copy', { every: '1h' }, async (context) => {
      late = () => context.checkpoint('late');
    });
    await runDue();
    expect(await codeOf(late)).toBe('SCHEDULER_STATE');
  });
});
