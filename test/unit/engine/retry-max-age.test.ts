import { START, shutdownAll, testScheduler } from '../scheduler/support';

afterEach(shutdownAll);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function failing() {
  const { scheduler, advanceBy } = await testScheduler();
  const attempts: number[] = [];
  const skipped: string[] = [];
  scheduler.subscribe((event) => event.type === 'firingSkipped' && skipped.push(event.reason), ['firingSkipped']);
  const retry = { max: 3, delay: '1m', maxAge: '10m' } as const;
  await scheduler.schedule('report', { at: START, retry, history: 'all' }, ({ attempt }) => {
    attempts.push(attempt);
    throw new Error('no paper');
  });
  await advanceBy(1_000);
  expect(attempts).toEqual([1]);
  return { scheduler, advanceBy, attempts, skipped };
}

describe('the maxAge of retries', () => {
  it('turns a paused retry that is resumed too late into a dead letter', async () => {
    const { scheduler, advanceBy, attempts, skipped } = await failing();
    await scheduler.pauseJob('report');
    await advanceBy(DAY);
    await scheduler.resumeJob('report');
    await advanceBy(60 * MINUTE);
    expect(attempts).toEqual([1]);
    expect(skipped).toEqual(['maxAge']);
    const { items } = await scheduler.listRuns({ deadLetters: true });
    expect(items).toMatchObject([
      { attempt: 2, outcome: 'failed', error: expect.stringMatching(/later than the maxAge/) },
    ]);
  });

  it('does not limit a rerun, and counts anew for its retries', async () => {
    const { scheduler, advanceBy, attempts } = await failing();
    await scheduler.pauseJob('report');
    await advanceBy(DAY);
    await scheduler.resumeJob('report');
    await advanceBy(MINUTE);
    const [letter] = (await scheduler.listRuns({ deadLetters: true })).items;
    await scheduler.rerun(letter?.runId as string);
    await advanceBy(60 * MINUTE);
    expect(attempts).toEqual([1, 3, 4, 5, 6]);
  });
});
