import type { JobFunction } from '../../../src';
import { newJob, newTrigger, type SchedulerEvent } from '../../../src';
import type { TimeLimitOptions } from '../../../src/domain/time-limit';
import { createTestScheduler } from '../../../src/testing';

/** Runs a job once, under a time limit, for an hour. */
async function play(job: JobFunction, timeout: TimeLimitOptions, retry = 0) {
  const test = await createTestScheduler({ jobs: { job } });
  const detail = newJob('job').withIdentity('job').withHistory('all').withRetry(retry).withTimeout(timeout).build();
  await test.scheduler.scheduleJob(detail, newTrigger().startNow().build());
  await test.advanceBy(3_600_000);
  const { items } = await test.scheduler.listRuns();
  await test.scheduler.shutdown({ deadline: 0 });
  return items.map(({ outcome, error, attempt }) => ({ outcome, error, attempt }));
}

const forever: JobFunction = () => new Promise<void>(() => {});
const untilStopped: JobFunction = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));

describe('a time limit', () => {
  it('does not affect a job that ends in time', async () => {
    expect(await play(async () => {}, '1s')).toEqual([{ outcome: 'succeeded', error: null, attempt: 1 }]);
  });

  it('aborts the signal of the job, and records an error thrown then as timedOut', async () => {
    expect(await play(untilStopped, '1s')).toEqual([{ outcome: 'timedOut', error: 'stopped', attempt: 1 }]);
  });

  it('is the reason of the signal', async () => {
    const reasons: Error[] = [];
    const obeying: JobFunction = ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        }),
      );
    const error = 'The job did not end within its time limit of 1000 ms.';
    expect(await play(obeying, '1s')).toEqual([{ outcome: 'timedOut', error, attempt: 1 }]);
    expect(reasons).toMatchObject([{ name: 'TimeoutError', message: error }]);
  });

  it('accepts the result of a job that ends after the signal', async () => {
    const finishing: JobFunction = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ summary: 'half' })));
    expect(await play(finishing, '1s')).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('ends the firing of a job that ignores the signal after the grace period', async () => {
    const error = expect.stringContaining(
      "'DEFAULT/job' did not end within its time limit of 1000 ms, nor within 2000 ms",
    );
    expect(await play(forever, { after: '1s', grace: 2_000 })).toEqual([{ outcome: 'timedOut', error, attempt: 1 }]);
  });

  it('starts anew with each attempt', async () => {
    const runs = await play(untilStopped, '1s', 2);
    expect(runs.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['timedOut', 3],
      ['timedOut', 2],
      ['timedOut', 1],
    ]);
  });

  it('causes no unhandled rejection if the job fails after its run has ended', async () => {
    const late: JobFunction = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => setImmediate(() => reject(new Error('late')))));
    expect(await play(late, { after: 1_000, grace: 0 })).toMatchObject([{ outcome: 'timedOut' }]);
  });

  it.each([
    ...[0, -1, '5', 'soon', {}, { after: '1s', graze: 1 }, null, true],
    ...[{ grace: '1s' }, { deadline: 0 }, { deadline: 'soon' }, { after: 0, deadline: '1s' }, { deadline: '367d' }],
  ])('is validated: %j', (timeout) => {
    const build = () => newJob('job').withTimeout(timeout as never);
    if (timeout === null) expect(build).not.toThrow();
    else expect(build).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });
});

describe('a job that continues after its run has ended', () => {
  it('is counted and listed until it ends', async () => {
    let end = () => {};
    const deaf: JobFunction = () =>
      new Promise<void>((resolve) => {
        end = resolve;
      });
    const { scheduler, advanceBy } = await createTestScheduler({ jobs: { deaf } });
    await scheduler.schedule('deaf', { at: new Date(0), timeout: { after: '1s', grace: '1s' } });
    await advanceBy(1_999);
    expect(scheduler.getMetaData().numberOfAbandonedJobs).toBe(0);
    expect(await scheduler.listExecutingJobs()).toMatchObject([{ isAbandoned: false }]);
    await advanceBy(1);
    expect(scheduler.getMetaData()).toMatchObject({
      numberOfAbandonedJobs: 1,
      summary: expect.stringContaining('abandoned jobs still running: 1'),
    });
    expect(await scheduler.listExecutingJobs()).toMatchObject([{ isAbandoned: true, jobKey: { name: 'deaf' } }]);
    expect(scheduler.getCurrentlyExecutingJobs()).toMatchObject([{ isAbandoned: true }]);
    end();
    await advanceBy(0);
    expect(scheduler.getMetaData().numberOfAbandonedJobs).toBe(0);
    expect(await scheduler.listExecutingJobs()).toEqual([]);
    expect(scheduler.getMetaData().summary).not.toContain('abandoned');
    await scheduler.shutdown();
  });
});

describe('a job without a time limit', () => {
  it('is never restarted, however long it runs', async () => {
    const begun: number[] = [];
    const long: JobFunction = ({ attempt, signal }) => {
      begun.push(attempt);
      return clock.sleepUntil(clock.now() + 300 * 86_400_000, signal);
    };
    const { scheduler, advanceBy, clock } = await createTestScheduler({ jobs: { long } });
    await scheduler.schedule('long', { at: new Date(0), retry: 5, requestsRecovery: true });
    await advanceBy(299 * 86_400_000);
    expect(begun).toEqual([1]);
    expect(await scheduler.listExecutingJobs()).toMatchObject([{ jobKey: { name: 'long' }, isAbandoned: false }]);
    await scheduler.shutdown({ deadline: 0 });
  });
});

describe('a deadline', () => {
  const START = Date.UTC(2026, 0, 1);

  /** Runs a job that was due at START when it is `lateBy` milliseconds later; the trigger makes up for each missed time. */
  async function playLate(
    job: JobFunction,
    lateBy: number,
    settings: { readonly timeout: TimeLimitOptions; readonly retry?: number | string },
  ) {
    const { scheduler, clock, runDue, advanceBy } = await createTestScheduler({ jobs: { job } });
    const skipped: SchedulerEvent[] = [];
    scheduler.subscribe((event) => skipped.push(event), ['firingSkipped']);
    const when = { every: '24h', startAt: new Date(START), endAt: new Date(START + 1_000), misfire: 'all' } as const;
    await scheduler.schedule('job', { ...when, history: 'all', ...settings } as never);
    clock.advanceBy(lateBy);
    await runDue();
    await advanceBy(7_200_000);
    const { items } = await scheduler.listRuns();
    await scheduler.shutdown({ deadline: 0 });
    const runs = items.map(({ outcome, error, attempt, isDeadLetter, endTime }) => ({
      ...{ outcome, error, attempt, isDeadLetter },
      endedAfter: endTime.getTime() - START,
    }));
    return { runs, skipped };
  }

  it('counts from the scheduled time', async () => {
    const { runs } = await playLate(untilStopped, 40_000, { timeout: { deadline: '1m' } });
    expect(runs).toMatchObject([{ outcome: 'timedOut', error: 'stopped', endedAfter: 60_000 }]);
  });

  it.each([
    [{ after: '30s', deadline: '1m' }, 60_000],
    [{ after: '10s', deadline: '1m' }, 50_000],
  ])('or a time limit ends the run, whichever comes first: %j', async (timeout, endedAfter) => {
    const { runs } = await playLate(untilStopped, 40_000, { timeout });
    expect(runs).toMatchObject([{ outcome: 'timedOut', endedAfter }]);
  });

  it('is named in the error of a job that ignores the signal', async () => {
    const { runs } = await playLate(forever, 0, { timeout: { deadline: '1m', grace: '1s' } });
    const error = expect.stringContaining(
      'did not end by its deadline, 60000 ms after its scheduled time, nor within 1000',
    );
    expect(runs).toMatchObject([{ outcome: 'timedOut', error, endedAfter: 61_000 }]);
  });

  it('keeps a run from starting after it, and the run is recorded as timedOut', async () => {
    const job = jest.fn();
    const { runs, skipped } = await playLate(job, 60_000, { timeout: { deadline: '1m' } });
    expect(job).not.toHaveBeenCalled();
    const error = 'Skipped: the run would have started 60000 ms late, after its deadline.';
    expect(runs).toMatchObject([{ outcome: 'timedOut', error, isDeadLetter: false }]);
    expect(skipped).toMatchObject([{ reason: 'deadline', lateBy: 60_000 }]);
  });

  it('makes a late run a dead letter at once, even if it has retries', async () => {
    const job = jest.fn();
    const { runs } = await playLate(job, 60_000, { timeout: { deadline: '1m' }, retry: 3 });
    expect(runs).toMatchObject([{ outcome: 'timedOut', attempt: 1, isDeadLetter: true }]);
  });

  it('ends the retries that would start after it', async () => {
    const failing: JobFunction = () => {
      throw new Error('no paper');
    };
    const { runs } = await playLate(failing, 0, { timeout: { deadline: '1m' }, retry: 'R9/PT25S' });
    expect(runs.map(({ attempt, isDeadLetter, endedAfter }) => [attempt, isDeadLetter, endedAfter])).toEqual([
      [3, true, 50_000],
      [2, false, 25_000],
      [1, false, 0],
    ]);
  });

  it('starts anew with a rerun', async () => {
    let fails = true;
    const job: JobFunction = () => {
      if (fails) throw new Error('no paper');
    };
    const { scheduler, advanceBy } = await createTestScheduler({ jobs: { job } });
    const settings = { retry: 1, timeout: { deadline: '1m' }, history: 'all' } as const;
    await scheduler.schedule('job', { at: new Date(START), ...settings });
    await advanceBy(3_600_000);
    fails = false;
    expect(await scheduler.rerun({})).toBe(1);
    await advanceBy(0);
    expect((await scheduler.listRuns({ limit: 1 })).items).toMatchObject([{ outcome: 'succeeded' }]);
    await scheduler.shutdown();
  });
});
