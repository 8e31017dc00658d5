import { createTestScheduler } from '../../src/testing';

describe('a test scheduler under the fake timers of the test', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('runs what is due, and lets the jobs use its own clock', async () => {
    const seen: string[] = [];
    const { scheduler, clock, advanceBy } = await createTestScheduler({
      jobs: {
        hourly: async () => {
          seen.push(new Date(clock.now()).toISOString());
        },
      },
    });
    await scheduler.schedule('hourly', { every: '1h' });
    const fired = await advanceBy(2 * 3_600_000);
    expect(fired.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(seen).toHaveLength(3);
    await scheduler.shutdown();
  });
});
