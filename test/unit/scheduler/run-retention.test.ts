import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import type { RunOutcome, RunRecord } from '../../../src/domain/run';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { RunRetentionWatch } from '../../../src/scheduler/run-retention';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { aRun } from './run-samples';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Delay of the first poll with the random token `iiii`, in base 36 about half of a minute. */
const FIRST_POLL_MS = Math.floor((Number.parseInt('iiii', 36) / 36 ** 4) * MINUTE);
const NEVER = new AbortController().signal;

/** A watch over these runs, at day 100, that keeps them for 30 days, dead letters for 60, and at most `maxCount`. */
async function watchOver(
  runs: readonly RunRecord[],
  maxCount = 1_000,
  retentionOfOutcomes: Partial<Record<RunOutcome, number>> = {},
) {
  const store = new MemoryJobStore(() => 'x');
  await store.recordRuns(runs);
  const clock = new ManualClock(100 * DAY);
  const events: SchedulerEvent[] = [];
  const calls: string[] = [];
  let failure: Error | null = null;
  let deletionMs = 0;
  const call = (name: string): MemoryJobStore => {
    calls.push(name);
    if (failure !== null) throw failure;
    return store;
  };
  const watch = new RunRetentionWatch({
    store: {
      listRuns: async (query) => call('listRuns').listRuns(query),
      findRunEnd: async (newer) => call('findRunEnd').findRunEnd(newer),
      pruneRuns: async (retention) => {
        const count = await call('pruneRuns').pruneRuns(retention);
        clock.advanceTo(clock.now() + deletionMs);
        return count;
      },
      pruneActions: async (before, maxCount) => store.pruneActions(before, maxCount),
      pruneCheckpoints: async (before, maxCount) => store.pruneCheckpoints(before, maxCount),
    },
    clock,
    random: { token: (length) => 'i'.repeat(length) },
    publish: (event) => void events.push(event),
    history: {
      retentionMs: 30 * DAY,
      retentionOfOutcomes,
      maxCount,
      maxBytes: Number.POSITIVE_INFINITY,
      deadLetterRetentionMs: 60 * DAY,
      actionRetentionMs: 90 * DAY,
    },
  });
  return {
    watch,
    clock,
    calls,
    events,
    failWith: (error: Error | null) => {
      failure = error;
    },
    /** Sets how long each deletion takes on the clock. */
    deletionsTake: (milliseconds: number) => {
      deletionMs = milliseconds;
    },
    left: async () => (await store.listRuns({ take: 20_000 })).items.map(({ runId }) => runId),
    async advanceBy(milliseconds: number) {
      const end = clock.now() + milliseconds;
      for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
      while ((clock.nextWakeTime ?? Number.POSITIVE_INFINITY) <= end) {
        clock.advanceTo(clock.nextWakeTime as number);
        for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
      }
      clock.advanceTo(end);
    },
  };
}

const onDay = (day: number, runId: string, more: Partial<RunRecord> = {}) =>
  aRun({ endTime: day * DAY, runId, ...more });
const deadLetter = { isDeadLetter: true, outcome: 'failed' } as const;

describe('the retention of runs', () => {
  it('deletes runs after their maximum age, and dead letters after a separate one', async () => {
    const { watch, left } = await watchOver([
      onDay(30, 'dead-old', deadLetter),
      onDay(50, 'dead', deadLetter),
      onDay(69, 'old'),
      onDay(70, 'just-kept'),
      onDay(99, 'new'),
    ]);
    await watch.runOnce(NEVER);
    expect(await left()).toEqual(['new', 'just-kept', 'dead']);
  });

  it('keeps the newest runs up to the maximum number, and all dead letters', async () => {
    const runs = Array.from({ length: 10 }, (_, n) => onDay(90 + n, `r${n}`, n < 2 ? deadLetter : {}));
    const { watch, left } = await watchOver(runs, 4);
    await watch.runOnce(NEVER);
    expect(await left()).toEqual(['r9', 'r8', 'r7', 'r6', 'r1', 'r0']);
  });

  it('can use a separate maximum age for an outcome', async () => {
    const runs = [onDay(98, 'succeeded'), onDay(98, 'failed', { outcome: 'failed' }), onDay(99, 'new')];
    const { watch, left } = await watchOver(runs, 1_000, { succeeded: 1.5 * DAY });
    await watch.runOnce(NEVER);
    expect(await left()).toEqual(['new', 'failed']);
  });

  it('deletes in batches with a pause between them', async () => {
    const runs = Array.from({ length: 12_000 }, (_, n) => aRun({ endTime: DAY + n, runId: `r${n}` }));
    const { watch, left, advanceBy } = await watchOver(runs);
    const done = watch.runOnce(NEVER);
    for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
    expect(await left()).toHaveLength(7_000);
    await advanceBy(100);
    await done;
    expect(await left()).toEqual([]);
  });

  it('pauses for twice the duration of a batch', async () => {
    const runs = Array.from({ length: 6_000 }, (_, n) => aRun({ endTime: DAY + n, runId: `r${n}` }));
    const { watch, clock, left, advanceBy, deletionsTake } = await watchOver(runs);
    deletionsTake(100);
    const done = watch.runOnce(NEVER);
    for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
    expect(clock.nextWakeTime).toBe(clock.now() + 200);
    expect(await left()).toHaveLength(1_000);
    await advanceBy(1_000);
    await done;
    expect(await left()).toEqual([]);
  });

  it('makes only one query if there are no runs', async () => {
    const { watch, calls } = await watchOver([]);
    await watch.runOnce(NEVER);
    expect(calls).toEqual(['listRuns']);
  });

  it('starts within a minute and then checks every minute until it is stopped', async () => {
    const { watch, calls, advanceBy } = await watchOver([onDay(99, 'new')]);
    const looks = () => calls.filter((name) => name === 'listRuns').length;
    await watch.service.start();
    await advanceBy(MINUTE / 2);
    expect(looks()).toBe(0);
    await advanceBy(MINUTE / 2);
    expect(looks()).toBe(1);
    await advanceBy(9 * MINUTE);
    expect(looks()).toBe(10);
    // Counting the runs is slow, so it is done once.
    expect(calls.filter((name) => name === 'findRunEnd')).toHaveLength(1);
    await watch.service.stop();
    await advanceBy(10 * MINUTE);
    expect(looks()).toBe(10);
  });

  it('reports a store outage once and continues after it', async () => {
    const { watch, events, failWith, left, advanceBy } = await watchOver([onDay(1, 'old')]);
    failWith(new Error('no database'));
    await watch.service.start();
    await advanceBy(5 * MINUTE);
    expect(events).toMatchObject([{ type: 'schedulerError', during: expect.stringContaining('deleting runs') }]);
    failWith(null);
    await advanceBy(2 * MINUTE);
    expect(await left()).toEqual([]);
    await watch.service.stop();
  });

  it('can be stopped between two batches', async () => {
    const runs = Array.from({ length: 6_000 }, (_, n) => aRun({ endTime: DAY + n, runId: `r${n}` }));
    const { watch, left, advanceBy } = await watchOver(runs);
    await watch.service.start();
    await advanceBy(FIRST_POLL_MS + 10);
    expect(await left()).toHaveLength(1_000);
    await watch.service.stop();
    await advanceBy(MINUTE);
    expect(await left()).toHaveLength(1_000);
  });
});
