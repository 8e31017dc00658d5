import { resolve } from 'node:path';
import { SystemClock } from '../../../../src/base/clock';
import { ObjectAlreadyExistsError, SchedulerError } from '../../../../src/base/errors';
import type { JobStore } from '../../../../src/store/job-store';
import { StoreThread } from '../../../../src/store/thread/store-thread';
import { everyMinute, job as jobOf } from '../../../conformance/samples';
import { freshDist } from '../../../support/fresh-dist';

const ENTRY = resolve(__dirname, '../../../support/threads/memory-store.cjs');

describe('a store in its own thread', () => {
  const open: JobStore[] = [];
  const crashes: Error[] = [];
  const notices: unknown[] = [];
  const changes: (number | null)[] = [];

  beforeAll(() => void freshDist());

  afterEach(async () => {
    for (const store of open.splice(0)) await store.close();
    for (const list of [crashes, notices, changes]) list.length = 0;
  });

  const start = async (setup: object = {}, entry = ENTRY) => {
    const { store } = await StoreThread.start({
      program: { file: entry },
      setup,
      clock: new SystemClock(),
      targets: {
        main: {
          answer: async (question: string) => `${question} answered`,
          something: (notice: unknown) => notices.push(notice),
        },
      },
      onCrash: (error) => crashes.push(error),
    });
    open.push(store);
    return store;
  };
  const opened = async () => {
    const store = await start();
    await store.open((earliest) => changes.push(earliest));
    return store;
  };
  const store = (job = jobOf(), trigger = everyMinute()) => [
    { type: 'storeJob', job, ifExists: 'fail', requireTrigger: false } as const,
    { type: 'storeTrigger', trigger, ifExists: 'fail', startTimeDefaulted: false } as const,
  ];
  const options = { now: 0, misfireThreshold: 60_000 };

  it('reports a changed schedule before the change is acknowledged', async () => {
    const remote = await opened();
    await remote.applySchedule(store(), options);
    expect(changes).toHaveLength(1);
  });

  it('rejects with the class, code and message of the error in the thread', async () => {
    const remote = await opened();
    await remote.applySchedule(store(), options);
    const again = await remote.applySchedule(store(), options).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(SchedulerError);
    expect(again).toBeInstanceOf(ObjectAlreadyExistsError);
    expect(again).toMatchObject({ code: 'OBJECT_ALREADY_EXISTS', name: 'ObjectAlreadyExistsError' });
  });

  it('returns the right result to each of several concurrent calls', async () => {
    const remote = await opened();
    await remote.applySchedule(store(), options);
    const [groups, missing, calendars] = await Promise.all([
      remote.getJobGroupNames(),
      remote.getCalendar('nowhere'),
      remote.getCalendarNames(),
    ]);
    expect([groups.length, missing, calendars]).toEqual([1, null, []]);
  });

  it('rejects a call whose arguments or result are not plain data, and stays usable', async () => {
    const remote = await opened();
    await expect(remote.getCalendar((() => {}) as unknown as string)).rejects.toThrow(/could not be cloned/);
    await expect(remote.getCalendar('answer a function')).rejects.toThrow(/could not be cloned/);
    await expect(remote.getCalendarNames()).resolves.toEqual([]);
  });

  it('forwards notices and requests of the thread', async () => {
    const remote = await opened();
    await remote.getCalendar('tell something');
    expect(notices).toEqual([{ told: true }]);
    await expect(remote.getCalendar('ask something')).resolves.toBe('question answered');
  });

  it.each([
    ['an uncaught error', 'throw later', /a mistake in the store/],
    ['an exit of the thread', 'exit', /exited with code 7/],
  ])('rejects every pending and later call after %s, and reports it once', async (_, command, message) => {
    const remote = await opened();
    const waiting = [remote.getCalendar('silence'), remote.getCalendar(command)].map((call) =>
      call.catch((error: unknown) => error),
    );
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: 'STORE_FAILURE' });
    await expect(remote.getCalendarNames()).rejects.toThrow(message);
    await remote.close();
    expect(crashes.map(({ message: text }) => text)).toEqual([expect.stringMatching(message)]);
  });

  it('returns the description of the store in the thread', async () => {
    expect((await start()).description).toEqual({ name: 'memory', persistent: false, clustered: false });
  });

  it('fails to start with the error that kept the thread from creating the store', async () => {
    await expect(start({ refuse: true })).rejects.toMatchObject({ code: 'CONFIGURATION', message: 'refused' });
    expect(crashes).toEqual([]);
  });

  it('explains how to fix a missing file of the thread', async () => {
    await expect(start({}, '/nowhere/entry.js')).rejects.toThrow(/Reinstall quartz-ts, or set jobStore.storeThread/);
  });

  it('refuses calls after it is closed', async () => {
    const remote = await opened();
    await remote.close();
    await remote.close();
    await expect(remote.getCalendarNames()).rejects.toMatchObject({
      code: 'STORE_FAILURE',
      message: expect.stringMatching(/closed/),
    });
  });
});
