import type { JobFunction } from '../../../src';
import { newJob, newTrigger } from '../../../src';
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
  it('leaves a job alone that ends in time', async () => {
    expect(await play(async () => {}, '1s')).toEqual([{ outcome: 'succeeded', error: null, attempt: 1 }]);
  });

  it('tells the job to stop, and calls what it throws then a time-out', async () => {
    expect(await play(untilStopped, '1s')).toEqual([{ outcome: 'timedOut', error: 'stopped', attempt: 1 }]);
  });

  it('takes the answer of a job that ends after the signal', async () => {
    const finishing: JobFunction = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ summary: 'half' })));
    expect(await play(finishing, '1s')).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('ends the firing of a job that does not listen, without it', async () => {
    const error = expect.stringContaining(
      "'DEFAULT.job' did not end within its time limit of 1000 ms, nor within 2000 ms",
    );
    expect(await play(forever, { after: '1s', grace: 2_000 })).toEqual([{ outcome: 'timedOut', error, attempt: 1 }]);
  });

  it('begins anew with each attempt', async () => {
    const runs = await play(untilStopped, '1s', 2);
    expect(runs.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['timedOut', 3],
      ['timedOut', 2],
      ['timedOut', 1],
    ]);
  });

  it('does not reject what nobody waits for any more', async () => {
    const late: JobFunction = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => setImmediate(() => reject(new Error('late')))));
    expect(await play(late, { after: 1_000, grace: 0 })).toMatchObject([{ outcome: 'timedOut' }]);
  });

  it.each([0, -1, '5', 'soon', {}, { after: '1s', graze: 1 }, null, true])('refuses %j', (timeout) => {
    const build = () => newJob('job').withTimeout(timeout as never);
    if (timeout === null) expect(build).not.toThrow();
    else expect(build).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });
});
