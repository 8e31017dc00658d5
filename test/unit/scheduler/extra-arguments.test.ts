import type { Scheduler } from '../../../src';
import type { TestScheduler } from '../../../src/testing';
import { noop, shutdownAll, testScheduler } from './support';

/** Methods as untyped code may call them. */
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

  it.each([
    ['deleteJob', ['reports', 'report'], 'at most 1'],
    ['isShutdown', [true], 'no arguments'],
    ['addJob', [undefined, undefined, true], 'at most 2'],
  ] as const)('%s refuses extra arguments: %j', async (name, given, expected) => {
    const message =
      `Arguments of ${name}: expected ${expected}, found ${given.length}. ` +
      'Pass a key as one object or string, and options as one object.';
    const call = async () => loose[name](...given);
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message });
  });

  it('changes nothing when it refuses an argument', async () => {
    expect(await made.scheduler.checkExists({ job: 'report' })).toBe(true);
    expect([made.scheduler.isInStandbyMode(), made.scheduler.isShutdown()]).toEqual([false, false]);
  });

  it('accepts undefined as an extra argument', async () => {
    expect(await loose.deleteJob('other', undefined)).toBe(false);
  });

  it('refuses an unknown property of an argument', async () => {
    await expect(loose.checkExists({ trigerr: 'report' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: "There is no option 'trigerr'. Did you mean 'trigger'?",
    });
  });
});
