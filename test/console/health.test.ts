import type { Scheduler } from '../../src/api/scheduler';
import { ManualClock } from '../../src/base/manual-clock';
import { createConsole } from '../../src/console/create-console';
import { Health } from '../../src/scheduler/health';
import { ask, closeAll, type Store, testScheduler } from './support';

async function statuses(scheduler: Scheduler): Promise<Readonly<Record<string, number>>> {
  const names = ['live', 'ready', 'startup'] as const;
  const answers = await Promise.all(names.map((name) => ask(createConsole(scheduler), `health/${name}`)));
  return Object.fromEntries(names.map((name, index) => [name, answers[index]?.status as number]));
}

describe.each<Store>(['memory', 'sqlite'])('probes of a scheduler in %s', (store) => {
  afterEach(closeAll);

  it('report without credentials that it was not started', async () => {
    expect(await statuses(await testScheduler({ store }))).toEqual({ live: 200, ready: 503, startup: 503 });
  });

  it('report that it fires', async () => {
    const scheduler = await testScheduler({ store });
    await scheduler.start();
    expect(await statuses(scheduler)).toEqual({ live: 200, ready: 200, startup: 200 });
  });

  it('report that it drains', async () => {
    const scheduler = await testScheduler({ store });
    await scheduler.start();
    await scheduler.drain(scheduler.getSchedulerInstanceId());
    expect(await scheduler.health()).toMatchObject({ isReady: false, isDraining: true, isCheckInFresh: true });
    expect(await statuses(scheduler)).toEqual({ live: 200, ready: 503, startup: 200 });
  });

  it('report that it has shut down', async () => {
    const scheduler = await testScheduler({ store });
    await scheduler.start();
    await scheduler.shutdown();
    expect(await statuses(scheduler)).toEqual({ live: 503, ready: 503, startup: 200 });
  });

  it('report a shutdown at once, while its jobs still run', async () => {
    const scheduler = await testScheduler({ store });
    let finish = () => {};
    const running = new Promise<void>((started) => {
      scheduler.registerJob('long', () => {
        started();
        return new Promise((done) => {
          finish = done as () => void;
        });
      });
    });
    await scheduler.enqueue('long');
    await scheduler.start();
    await running;
    expect(await statuses(scheduler)).toEqual({ live: 200, ready: 200, startup: 200 });
    const ended = scheduler.shutdown({ waitForJobs: true });
    expect(await statuses(scheduler)).toEqual({ live: 200, ready: 503, startup: 200 });
    finish();
    await ended;
  });

  it('contain only the state, and are not cached', async () => {
    const scheduler = await testScheduler({ store });
    const { headers, body } = await ask(createConsole(scheduler), 'health/ready');
    expect(headers.get('cache-control')).toBe('no-store');
    const checks = { isStarted: false, hasStarted: false, isStoreReachable: true, isCheckInFresh: false };
    expect(body).toEqual({ status: 'fail', schedulers: [{ ...checks, isDraining: false }] });
  });

  it('return only the status under an unknown host name', async () => {
    const shown = createConsole(await testScheduler({ store }), { tokens: {}, allowedHosts: ['quartz.example'] });
    const by = (host: string) => ask(shown, 'health/live', { headers: { host } });
    for (const host of ['localhost:8080', '10.0.0.1', 'quartz.example'])
      expect((await by(host)).body).toHaveProperty('schedulers');
    expect(await by('evil.example')).toMatchObject({ status: 200, body: { status: 'pass' } });
    expect((await by('evil.example')).body).not.toHaveProperty('schedulers');
  });
});

describe('the health of a scheduler', () => {
  const lifecycle = { state: 'started', runningSince: 1 };
  const others = { lifecycle, gate: { isUnlocked: true }, draining: { isDraining: false } };

  it('is read at most once a second, however many probes there are', async () => {
    const clock = new ManualClock(0);
    let reads = 0;
    const readClock = async () => ++reads;
    const health = new Health({ clock, ...others, node: { cluster: { store: { readClock } } } } as never);
    await Promise.all([health.read(), health.read()]);
    clock.advanceBy(999);
    await health.read();
    expect(reads).toBe(1);
    clock.advanceBy(1);
    expect(await health.read()).toMatchObject({ isReady: true });
    expect(reads).toBe(2);
  });

  it('is not live once the thread of its store has ended, because only a restart helps', async () => {
    const readClock = () => Promise.reject(new Error('gone'));
    const of = (hasCrashed: boolean) =>
      new Health({
        ...{ clock: new ManualClock(0), ...others },
        node: { cluster: { store: { readClock } }, hasCrashed: () => hasCrashed },
      } as never).read();
    expect([await of(false), await of(true)]).toMatchObject([{ isLive: true }, { isLive: false, isReady: false }]);
  });

  it('is not ready if the store fails, does not respond in time, or the lease has expired', async () => {
    const clock = new ManualClock(0);
    const withStore = (readClock: () => Promise<number>, gate = { isUnlocked: true }) =>
      new Health({ clock, ...others, gate, node: { cluster: { store: { readClock } } } } as never).read();
    const bad = { isReady: false, isStoreReachable: false };
    expect(await withStore(() => Promise.reject(new Error('gone')))).toMatchObject(bad);
    const waits = withStore(() => new Promise(() => {}));
    clock.advanceBy(2_000);
    expect(await waits).toMatchObject(bad);
    const late = await withStore(async () => 0, { isUnlocked: false });
    expect(late).toMatchObject({ isReady: false, isStoreReachable: true, isCheckInFresh: false });
  });
});
