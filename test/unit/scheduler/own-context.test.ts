import { AsyncLocalStorage } from 'node:async_hooks';
import { shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

describe('the asynchronous context of a job', () => {
  it.each(['start', 'schedule'])('is not inherited from the caller of %s', async (where) => {
    const requests = new AsyncLocalStorage<number>();
    const seen: unknown[] = [];
    const { scheduler, advanceTo, clock } = await testScheduler();
    await scheduler.standby();
    const within = <T>(step: string, work: () => Promise<T>) => (step === where ? requests.run(7, work) : work());
    await within('start', () => scheduler.start());
    await within('schedule', () =>
      scheduler.schedule('job', { every: 1_000 }, () => void seen.push(requests.getStore())),
    );
    await requests.run(8, () => advanceTo(new Date(clock.now() + 3_000)));
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });
});
