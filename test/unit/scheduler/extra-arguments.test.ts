import type { Scheduler } from '../../../src';
import { PARAMETERS } from '../../../src/scheduler/extra-arguments';
import type { TestScheduler } from '../../../src/testing';
import { noop, shutdownAll, testScheduler } from './support';

/** As plain JavaScript may call them. */
type Loose = Record<keyof Scheduler, (...given: readonly unknown[]) => unknown>;

describe('a method of the scheduler', () => {
  let made: TestScheduler;
  let loose: Loose;

  beforeAll(async () => {
    made = await testScheduler();
    loose = made.scheduler as unknown as Loose;
    await made.scheduler.schedule('report', { every: '1h' }, noop);
  });

  afterAll(shutdownAll);

  it.each(
    Object.entries(PARAMETERS) as [keyof Scheduler, readonly string[]][],
  )('%s refuses a further argument, and says which it takes: %j', async (name, names) => {
    const taken = names.map(() => undefined);
    const message = `Arguments of ${name}: expected ${names.length === 0 ? 'no arguments' : `at most ${names.length} (${names.join(', ')})`}, found ${names.length + 1}.`;
    const call = async () => loose[name](...taken, { force: true });
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message });
  });

  it('has not begun to do anything then', async () => {
    expect(await made.scheduler.checkExists({ job: 'report' })).toBe(true);
    expect([made.scheduler.isInStandbyMode(), made.scheduler.isShutdown()]).toEqual([false, false]);
  });

  it('takes undefined for an argument that is not given', async () => {
    expect(await loose.deleteJob('other', undefined)).toBe(false);
  });

  it('refuses an unknown name in an object that it takes', async () => {
    await expect(loose.checkExists({ trigerr: 'report' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: "There is no option 'trigerr'. Did you mean 'trigger'?",
    });
  });
});
