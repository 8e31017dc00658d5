import { createScheduler } from '../../../src';
import { SchedulerError } from '../../../src/base/errors';
import { ManualClock } from '../../../src/base/manual-clock';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import type { RunState } from '../../../src/engine/run-state';
import { findFaults } from '../../../src/operations/findings';
import { controlOf } from '../../../src/scheduler/control';
import { WorkerWatch, type WorkerWatchParts } from '../../../src/scheduler/worker-watch';
import { aFiring } from '../engine/samples';

const run = (runId: string, fireTime = 0) =>
  ({ firing: { ...aFiring(), runId, fireTime }, isAbandoned: false }) as RunState;

/** A watch over two workers, and the events that it has announced. */
function aWatch() {
  const clock = new ManualClock();
  const workers = { size: 2, running: 2 };
  const state = { runs: [run('a', 1), run('b', 0)], waitingSince: 1_000 as number | null, isDown: false, reads: 0 };
  const announced: unknown[] = [];
  const pageTriggers = async () => {
    state.reads++;
    if (state.isDown) throw new SchedulerError('STORE_FAILURE', 'down');
    const items = state.waitingSince === null ? [] : [{ trigger: { nextFireTime: state.waitingSince } }];
    return { items, next: null };
  };
  const watch = new WorkerWatch({
    ...{ clock, workers, instanceId: 'node-1' },
    engine: { listRuns: () => state.runs },
    store: { pageTriggers } as unknown as WorkerWatchParts['store'],
    bus: { publish: (event: SchedulerEvent) => announced.push(event.type) } as WorkerWatchParts['bus'],
    announce: (event) => announced.push(event),
  });
  const until = async (time: number) => {
    while (clock.now() < time) {
      clock.advanceTo(clock.now() + 5_000);
      await watch.runOnce();
    }
  };
  return { watch, workers, state, announced, until };
}

describe('runs that occupy all workers of a node', () => {
  it('are reported once, longest first, if a trigger waits for 30 s', async () => {
    const { announced, state, until } = aWatch();
    await until(30_000);
    expect([announced, state.reads]).toEqual([[], 0]);
    await until(90_000);
    expect(announced).toMatchObject([
      {
        type: 'workersHeld',
        instanceId: 'node-1',
        heldFor: 30_000,
        waitingSince: 1_000,
        runs: [{ runId: 'b' }, { runId: 'a' }],
      },
    ]);
    state.runs = [run('a', 1), run('c', 95_000)];
    await until(130_000);
    expect(announced).toHaveLength(2);
  });

  it('are not reported while no trigger waits or the store does not answer', async () => {
    const { announced, state, until } = aWatch();
    state.waitingSince = null;
    await until(60_000);
    state.waitingSince = 64_000; // another node may still acquire it
    await until(65_000);
    state.isDown = true;
    await until(75_000);
    expect(announced).toEqual(['schedulerError']);
    state.isDown = false;
    await until(80_000);
    expect(announced).toMatchObject(['schedulerError', { type: 'workersHeld' }]);
  });

  it('are not reported if a worker becomes free or the runs change', async () => {
    const { announced, state, workers, until } = aWatch();
    for (let time = 20_000; time <= 100_000; time += 20_000) {
      await until(time);
      state.runs = [run(`a${time}`), run('b')];
    }
    workers.running = 1;
    await until(160_000);
    expect([announced, state.reads]).toEqual([[], 0]);
  });
});

it('the doctor names the runs that occupy all workers of a node', async () => {
  let end = () => {};
  const hang = () => new Promise<void>((resolve) => (end = resolve));
  const config = { scheduler: { logLevel: 'silent', instanceId: 'a' }, threadPool: { threadCount: 1 } } as const;
  const scheduler = await createScheduler(config, { jobs: { hang } });
  const found = async () =>
    (await findFaults(scheduler, controlOf(scheduler) as never)).filter(({ id }) => id === 'workers');
  await scheduler.start();
  expect(await found()).toEqual([]);
  const started = new Promise<void>((resolve) => scheduler.subscribe(() => resolve(), ['jobStarted']));
  await scheduler.schedule('hang', { at: new Date() });
  await started;
  const [run] = await scheduler.listExecutingJobs();
  expect(await found()).toMatchObject([
    { found: expect.stringContaining(`a (1 in use; longest: DEFAULT/hang (run ${run?.runId}, since`) },
  ]);
  end();
  await scheduler.shutdown({ waitForJobs: true });
});
