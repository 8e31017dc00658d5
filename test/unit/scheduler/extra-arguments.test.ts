import type { Scheduler } from '../../../src';
import { codeOf, noop, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

/** As plain JavaScript may call them. */
type Loose = Record<keyof Scheduler, (...given: readonly unknown[]) => Promise<unknown>>;

describe('a method of the scheduler', () => {
  it('refuses an argument that it does not take, and says which it takes', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('report', { every: '1h' }, noop);
    const loose = scheduler as unknown as Loose;
    await expect(loose.deleteJob('report', true)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'Expected at most key for deleteJob, found 2 arguments.',
    });
    expect(await codeOf(() => loose.triggerJob('report', {}, { priority: 7 }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => loose.interrupt('report', { force: true }))).toBe('INVALID_ARGUMENT');
    expect(() => loose.isStarted(1)).toThrow('Expected no argument for isStarted, found 1 arguments.');
    expect(await scheduler.checkExists({ job: 'report' })).toBe(true);
  });

  it('takes undefined for an argument that is not given', async () => {
    const { scheduler } = await testScheduler();
    expect(await (scheduler as unknown as Loose).deleteJob('report', undefined)).toBe(false);
  });

  it('refuses an unknown name in an object that it takes', async () => {
    const { scheduler } = await testScheduler();
    await expect((scheduler as unknown as Loose).checkExists({ trigerr: 'report' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: "There is no option 'trigerr'. Did you mean 'trigger'?",
    });
  });
});
