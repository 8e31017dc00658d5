import type { Scheduler } from '../../../src/api/scheduler';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import type { RunningNote } from '../../../src/domain/progress';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { newRun } from '../../../src/engine/job-context';
import type { RunState } from '../../../src/engine/run-state';
import { ProgressWatch } from '../../../src/scheduler/progress-watch';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { aFiring } from '../engine/samples';

const START = 1_000;

/** A started watch, and the progress that it stores. */
async function watching() {
  const clock = new ManualClock(START);
  const saved: { readonly said: readonly RunningNote[]; readonly ended: readonly string[] }[] = [];
  const events: SchedulerEvent[] = [];
  const executing = new Set<RunState>();
  let failure: Error | null = null;
  const watch = new ProgressWatch({
    store: {
      async saveProgress(said, ended) {
        if (failure !== null) throw failure;
        saved.push({ said, ended });
      },
    },
    clock,
    bus: { publish: (event) => void events.push(event) },
    executing: () => [...executing],
  });
  const host = {
    store: new MemoryJobStore(() => 'x'),
    clock,
    scheduler: () => ({}) as Scheduler,
    onOutput: watch.onOutput,
  };
  await watch.service.start();
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
  };
  return {
    watch,
    clock,
    saved,
    events,
    executing,
    settle,
    failWith: (error: Error | null) => {
      failure = error;
    },
    run(runId: string) {
      const run = newRun(host, aFiring({ runId }), { execute() {} });
      executing.add(run);
      return run;
    },
    async advanceBy(milliseconds: number) {
      clock.advanceBy(milliseconds);
      await settle();
    },
  };
}

describe('the watch that stores the progress of runs', () => {
  it('stores new progress of all runs together, at most once a second', async () => {
    const world = await watching();
    const [first, second] = [world.run('first'), world.run('second')];
    await world.advanceBy(1_000);
    expect(world.saved).toEqual([]);
    first.context.progress(0.1, 'begun');
    second.context.log.info('one');
    await world.settle();
    expect(world.saved).toEqual([
      {
        said: [
          {
            runId: 'first',
            progress: { fraction: 0.1, message: 'begun', at: START + 1_000 },
            tail: { skipped: 0, lines: [] },
            interruption: null,
          },
          {
            runId: 'second',
            progress: null,
            tail: { skipped: 0, lines: [{ at: START + 1_000, level: 'info', message: 'one', data: null }] },
            interruption: null,
          },
        ],
        ended: [],
      },
    ]);
    for (let n = 0; n < 100; n++) first.context.progress(n / 100);
    await world.advanceBy(999);
    expect(world.saved).toHaveLength(1);
    await world.advanceBy(1);
    expect(world.saved.slice(1)).toMatchObject([{ said: [{ runId: 'first', progress: { fraction: 0.99 } }] }]);
    await world.advanceBy(5_000);
    expect(world.saved).toHaveLength(2);
    await world.watch.end();
  });

  it('sleeps while no run reports progress', async () => {
    const world = await watching();
    world.run('quiet');
    await world.advanceBy(1_000);
    expect(world.clock.nextWakeTime ?? Number.POSITIVE_INFINITY).toBe(Number.POSITIVE_INFINITY);
    await world.watch.end();
  });

  it('deletes the progress of ended runs once', async () => {
    const world = await watching();
    const run = world.run('run');
    run.context.progress(1);
    await world.advanceBy(1_000);
    world.executing.delete(run);
    await world.advanceBy(1_000);
    await world.advanceBy(5_000);
    expect(world.saved.slice(1)).toEqual([{ said: [], ended: ['run'] }]);
    await world.watch.end();
  });

  it('stores nothing for a run that ended before its progress was stored', async () => {
    const world = await watching();
    const run = world.run('run');
    run.context.progress(1);
    world.executing.delete(run);
    await world.advanceBy(2_000);
    expect(world.saved).toEqual([]);
    await world.watch.end();
  });

  it('retries after a store failure and reports it once', async () => {
    const world = await watching();
    world.failWith(new Error('no database'));
    world.run('run').context.progress(0.5);
    await world.advanceBy(1_000);
    await world.advanceBy(1_000);
    expect([world.saved, world.events.map(({ type }) => type)]).toEqual([[], ['schedulerError']]);
    world.failWith(null);
    await world.advanceBy(1_000);
    expect(world.saved).toMatchObject([{ said: [{ runId: 'run', progress: { fraction: 0.5 } }] }]);
    await world.watch.end();
  });

  it('deletes the progress of ended runs when it stops', async () => {
    const world = await watching();
    const run = world.run('run');
    run.context.progress(0.5);
    await world.advanceBy(1_000);
    world.executing.delete(run);
    await world.watch.end();
    expect(world.saved.at(-1)).toEqual({ said: [], ended: ['run'] });
  });
});
