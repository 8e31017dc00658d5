import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Configuration, createScheduler, GroupMatcher, type Scheduler, type SchedulerEvent } from '../../src';

const MINUTE = 60_000;

/** Context of one run, as its job saw it. */
interface Seen {
  readonly attempt: number;
  readonly scheduledFireTime: Date;
  readonly data: unknown;
}

/** Starts a scheduler on the configured store, with jobs that fail a given number of times. */
async function started(jobStore: Configuration) {
  const seen: Seen[] = [];
  const failures = { left: 0 };
  const scheduler = await createScheduler(
    { ...jobStore, scheduler: { instanceName: 'Runs', instanceId: 'node-1' } },
    {
      logger: pino({ level: 'silent' }),
      jobs: {
        report: (context) => {
          const { attempt, scheduledFireTime, data, log } = context;
          seen.push({ attempt, scheduledFireTime, data });
          log.info('pages are printed', { attempt });
          if (failures.left-- > 0) throw new Error(`no paper (${attempt})`);
          context.report({ summary: 'all printed', metrics: { pages: 3 } });
        },
      },
    },
  );
  await scheduler.start();
  return { scheduler, seen, failures };
}

/** Resolves after that many events of this type. */
function next(scheduler: Scheduler, type: SchedulerEvent['type'], count = 1): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    const unsubscribe = scheduler.subscribe((event) => {
      if (event.type !== type || --left > 0) return;
      unsubscribe();
      resolve();
    });
  });
}

describe.each(['memory', 'sqlite'] as const)('runs on the %s store', (kind) => {
  let folder: string;
  const open: Scheduler[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-runs-'));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((scheduler) => scheduler.shutdown()));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function aScheduler(name: string) {
    const sqlite = { class: 'sqlite', path: join(folder, `${name}.db`), schema: 'create', storeThread: false } as const;
    const test = await started(kind === 'memory' ? {} : { jobStore: sqlite });
    open.push(test.scheduler);
    return test;
  }

  it(
    'are recorded for each attempt of a job that fails twice and then succeeds',
    async () => {
      const { scheduler, seen, failures } = await aScheduler('attempts');
      failures.left = 2;
      const done = next(scheduler, 'triggerCompleted', 3);
      const at = new Date();
      await scheduler.schedule('report', { at, retry: [1, 1], history: 'all', data: { to: 'all' } });
      await done;
      expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      for (const each of seen) expect(each).toMatchObject({ scheduledFireTime: at, data: { to: 'all' } });
      const { items } = await scheduler.listRuns({ job: 'report' });
      expect(items).toMatchObject([
        { attempt: 3, outcome: 'succeeded', summary: 'all printed', metrics: { pages: 3 }, error: null },
        { attempt: 2, outcome: 'failed', error: 'no paper (2)', isDeadLetter: false },
        { attempt: 1, outcome: 'failed', error: 'no paper (1)', instanceId: 'node-1', scheduledFireTime: at },
      ]);
      for (const run of items) expect(run).toMatchObject({ triggerKey: { name: 'report' }, scheduledFireTime: at });
      expect(items[0]?.lines).toMatchObject([{ level: 'info', message: 'pages are printed', data: { attempt: 3 } }]);
      expect(items[1]?.stack).toContain('no paper (2)');
      expect(await scheduler.getJobStatus('report')).toMatchObject({
        failuresInARow: 0,
        runs: 3,
        lastSuccess: { attempt: 3 },
        nextFireTime: null,
      });
      expect((await scheduler.listDeadLetters()).items).toEqual([]);
    },
    MINUTE,
  );

  it(
    'become dead letters, which are rerun with their data and scheduled time and may fail again',
    async () => {
      const { scheduler, seen, failures } = await aScheduler('dead');
      failures.left = 4;
      const exhausted = next(scheduler, 'retriesExhausted');
      await scheduler.schedule('report', { every: 3_600_000, retry: [1], data: { to: 'all' } });
      await exhausted;
      const [dead] = (await scheduler.listDeadLetters()).items;
      expect(dead).toMatchObject({ attempt: 2, isDeadLetter: true, error: 'no paper (2)' });

      const again = next(scheduler, 'retriesExhausted');
      expect(await scheduler.rerun([dead?.runId ?? ''])).toBe(1);
      await again;
      expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
      const [second] = (await scheduler.listDeadLetters()).items;
      expect(second).toMatchObject({ attempt: 4, error: 'no paper (4)', scheduledFireTime: dead?.scheduledFireTime });

      const done = next(scheduler, 'triggerCompleted');
      expect(await scheduler.setRetries({ job: 'report' }, 1)).toBe(1);
      await done;
      expect(seen.at(-1)).toEqual({ attempt: 5, scheduledFireTime: dead?.scheduledFireTime, data: { to: 'all' } });
      expect((await scheduler.listDeadLetters()).items).toEqual([]);
      expect(await scheduler.rerun({})).toBe(0);
    },
    MINUTE,
  );

  it(
    'are rerun with their job, even if it was deleted with its only trigger',
    async () => {
      const { scheduler, seen, failures } = await aScheduler('gone');
      failures.left = 2;
      const exhausted = next(scheduler, 'retriesExhausted');
      await scheduler.schedule('report', { at: new Date(), retry: [1], data: { to: 'all' } });
      await exhausted;
      expect(await scheduler.getJobDetail('report')).toBeNull();

      const done = next(scheduler, 'triggerCompleted');
      expect(await scheduler.rerun({})).toBe(1);
      await done;
      expect(seen.at(-1)).toMatchObject({ attempt: 3, data: { to: 'all' } });
      expect(await scheduler.getJobDetail('report')).toBeNull();
    },
    MINUTE,
  );

  it(
    'are discarded, and a waiting retry gets more attempts',
    async () => {
      const { scheduler, failures } = await aScheduler('waiting');
      failures.left = 10;
      const exhausted = next(scheduler, 'retriesExhausted');
      await scheduler.schedule('report', { at: new Date(), retry: [1] });
      await exhausted;
      expect(await scheduler.discard({})).toBe(1);
      expect(await scheduler.discard({})).toBe(0);

      const waits = next(scheduler, 'retryScheduled');
      await scheduler.schedule('report', { at: new Date(), retry: ['1h'], history: 'failures', group: 'slow' });
      await waits;
      expect(await scheduler.setRetries({ jobGroup: GroupMatcher.groupEquals('slow') }, 5)).toBe(1);
      const { items } = await scheduler.listTriggers({ job: { group: 'slow', name: 'report' } });
      const waiting = items.find(({ trigger }) => trigger.key.group === 'RETRYING_JOBS');
      expect(waiting).toMatchObject({
        state: 'WAITING',
        trigger: { policy: { retry: { max: 4, delays: [3_600_000] } } },
      });
      expect(waiting?.trigger.nextFireTime?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    },
    MINUTE,
  );
});
