import type { JobExecutionContext } from '../../../src/api/scheduler';
import { GroupMatcher, newJob, newTrigger, simpleSchedule } from '../../../src/index';
import { codeOf, shutdownAll, testScheduler } from './support';

/** Occurrences that run in parts, tested through the public API. */

afterEach(shutdownAll);

/** Values that a part received. */
type Seen = readonly [index: number | null, param: unknown, attempt: number];

const HOUR = 3_600_000;
const PARTS = GroupMatcher.groupEquals('SHARDED_JOBS');

/** A scheduler whose job `index` records its parts. `failures`: number of failures per part. */
async function spreadScheduler(failures: Readonly<Record<number, number>> = {}) {
  const seen: Seen[] = [];
  const left = { ...failures };
  const index = async ({ shard, attempt }: JobExecutionContext) => {
    const at = shard?.index ?? null;
    seen.push([at, shard?.param, attempt]);
    if (at === null || (left[at] ?? 0) === 0) return;
    left[at] = (left[at] ?? 0) - 1;
    throw new Error(`part ${at} fails`);
  };
  const test = await testScheduler({ jobs: { index } });
  const completed: unknown[] = [];
  test.scheduler.subscribe((event) => completed.push({ ...event }), ['occurrenceCompleted']);
  return { ...test, seen, completed };
}

describe('a schedule divided into parts', () => {
  it('runs each part once with its number and value, and reports when all have ended', async () => {
    const { scheduler, runDue, clock, seen, completed } = await spreadScheduler();
    await scheduler.schedule('index', { every: HOUR, spread: { shards: 3, params: ['a', 'b', { c: 1 }] } });
    await runDue();
    expect([...seen].sort()).toEqual([
      [0, 'a', 1],
      [1, 'b', 1],
      [2, { c: 1 }, 1],
    ]);
    const scheduledTime = clock.now();
    const key = { group: 'DEFAULT', name: 'index' };
    expect(completed).toEqual([
      {
        type: 'occurrenceCompleted',
        at: scheduledTime,
        occurrence: { id: expect.stringMatching(/./), triggerKey: key, scheduledTime, attempt: 1 },
        jobKey: key,
        parts: 3,
        failed: 0,
      },
    ]);
    expect(await scheduler.listOngoingOccurrences()).toEqual([]);
  });

  it('retries each part separately, and a rerun of a failed part does not complete the occurrence again', async () => {
    const { scheduler, runDue, advanceBy, seen, completed } = await spreadScheduler({ 0: 1, 1: 2 });
    await scheduler.schedule('index', {
      at: new Date('2026-01-01T00:00:00Z'),
      spread: { shards: 3 },
      retry: 'R1/PT1M',
      history: true,
    });
    await runDue();
    expect(completed).toEqual([]);
    expect(await scheduler.listOngoingOccurrences()).toMatchObject([
      {
        triggerKey: { name: 'index' },
        parts: 3,
        remaining: 2,
        failed: 0,
        scheduledFireTime: new Date('2026-01-01T00:00:00Z'),
      },
    ]);
    await advanceBy(60_000);
    expect(completed).toMatchObject([{ parts: 3, failed: 1 }]);
    const { items } = await scheduler.listDeadLetters();
    expect(items).toMatchObject([{ attempt: 2, shard: { index: 1, count: 3, param: null } }]);
    expect(await scheduler.rerun({})).toBe(1);
    await runDue();
    expect(seen.slice(-1)).toEqual([[1, null, 3]]);
    expect(completed).toHaveLength(1);
    const runs = (await scheduler.listRuns()).items;
    expect(runs.map(({ shard, attempt, outcome }) => `${shard?.index}.${attempt} ${outcome}`).sort()).toEqual([
      '0.1 failed',
      '0.2 succeeded',
      '1.1 failed',
      '1.2 failed',
      '1.3 succeeded',
      '2.1 succeeded',
    ]);
  });

  it('waits for the rerun of a part while other parts run, and counts it once', async () => {
    const { scheduler, runDue, advanceBy, completed } = await spreadScheduler({ 0: 2 });
    await scheduler.schedule('index', { every: HOUR, spread: { shards: 2 }, retry: 'R1/PT1M' });
    await scheduler.pauseTriggers(PARTS);
    await runDue();
    await scheduler.resumeTrigger({ group: 'SHARDED_JOBS', name: (await names(scheduler))[0] as string });
    await advanceBy(60_000);
    expect(await scheduler.rerun({})).toBe(1);
    await runDue();
    expect((await scheduler.listDeadLetters()).items).toEqual([]);
    expect(completed).toEqual([]);
    expect(await scheduler.listOngoingOccurrences()).toMatchObject([{ remaining: 1, failed: 0 }]);
    await scheduler.resumeTriggers(PARTS);
    await runDue();
    expect(completed).toMatchObject([{ parts: 2, failed: 0 }]);
  });

  it('can be set with builders, where the trigger takes precedence over the job', async () => {
    const { scheduler, runDue, seen } = await spreadScheduler();
    const job = newJob('index').withIdentity('job').withSpread({ shards: 2 }).build();
    const trigger = newTrigger().withIdentity('t').withSpread({ shards: 4 }).withSchedule(simpleSchedule()).build();
    await scheduler.scheduleJob(job, trigger);
    await scheduler.scheduleJob(newTrigger().withIdentity('u').forJob('job').build());
    expect((await scheduler.getTrigger('t'))?.policy).toEqual({ spread: { shards: 4 } });
    await runDue();
    expect(seen).toHaveLength(6);
  });

  it('has a single part for a broadcast without other nodes', async () => {
    const { scheduler, runDue, seen, completed } = await spreadScheduler();
    await scheduler.schedule('index', { every: HOUR, spread: 'broadcast' });
    await runDue();
    expect(seen).toEqual([[0, null, 1]]);
    expect(completed).toMatchObject([{ parts: 1, failed: 0 }]);
  });

  it('refuses invalid spread options', async () => {
    const { scheduler } = await spreadScheduler();
    const code = (spread: unknown) => codeOf(() => scheduler.schedule('index', { every: HOUR, spread } as never));
    const refused = [
      0,
      {},
      { shards: 0 },
      { shards: 1.5 },
      { shards: 1_001 },
      { shards: 2, params: [1] },
      'all',
      { shards: 2, parts: 1 },
    ];
    for (const spread of refused) expect([spread, await code(spread)]).toEqual([spread, 'INVALID_ARGUMENT']);
    expect(await code({ shards: 1, params: [() => 1] })).toBe('INVALID_JOB_DATA');
    expect(await code({ shards: 1, params: ['x'.repeat(33_000)] })).toBe('INVALID_JOB_DATA');
    expect(await code({ shards: 1_000 })).toBe('no error');
  });
});

async function names(scheduler: Awaited<ReturnType<typeof spreadScheduler>>['scheduler']): Promise<readonly string[]> {
  const keys = await scheduler.getTriggerKeys(PARTS);
  return keys.map(({ name }) => name);
}
