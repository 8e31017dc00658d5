import { ManualClock } from '../../../src/base/manual-clock';
import { LoopService, PeriodicService } from '../../../src/base/service';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

describe('LoopService', () => {
  it('can be stopped before it is started, and more than once', async () => {
    let runs = 0;
    const service = new LoopService('test', (signal) => {
      runs++;
      return untilAborted(signal);
    });
    await service.stop();
    await service.start();
    await Promise.all([service.stop(), service.stop()]);
    await service.stop();
    expect(runs).toBe(1);
    expect(service.isRunning).toBe(false);
  });

  it('runs a single loop, even if it is started several times', async () => {
    let runs = 0;
    const service = new LoopService('test', (signal) => {
      runs++;
      return untilAborted(signal);
    });
    await Promise.all([service.start(), service.start()]);
    await service.start();
    expect(runs).toBe(1);
    expect(service.isRunning).toBe(true);
    await service.stop();
  });

  it('starts again after a stop, but only after the previous loop has ended', async () => {
    const log: string[] = [];
    let finish = () => {};
    const service = new LoopService('test', async (signal) => {
      log.push('begin');
      await untilAborted(signal);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      log.push('end');
    });
    await service.start();
    const stopped = service.stop();
    const started = service.start();
    await yieldToEventLoop();
    expect(log).toEqual(['begin']);
    finish();
    await Promise.all([stopped, started]);
    expect(log).toEqual(['begin', 'end', 'begin']);
    const last = service.stop();
    await yieldToEventLoop();
    finish();
    await last;
  });
});

describe('PeriodicService', () => {
  function setUp(answers: readonly boolean[] = []) {
    const clock = new ManualClock();
    const runs: number[] = [];
    const service = new PeriodicService('test', {
      clock,
      interval: 1_000,
      runOnce: async () => {
        runs.push(clock.now());
        return answers[runs.length - 1] ?? false;
      },
    });
    return { clock, runs, service };
  }

  it('runs at once and then after every interval', async () => {
    const { clock, runs, service } = setUp();
    await service.start();
    for (const time of [999, 1_000, 2_000]) {
      await yieldToEventLoop();
      clock.advanceTo(time);
    }
    await yieldToEventLoop();
    expect(runs).toEqual([0, 1_000, 2_000]);
    await service.stop();
    expect(clock.nextWakeTime).toBeNull();
  });

  it('runs again without waiting if there is more to do', async () => {
    const { clock, runs, service } = setUp([true, true, false]);
    await service.start();
    while (clock.nextWakeTime === null) await yieldToEventLoop();
    expect(runs).toEqual([0, 0, 0]);
    await service.stop();
  });

  it('runs at once on runNow, and once more if this is called during a run', async () => {
    const { clock, runs, service } = setUp();
    await service.start();
    service.runNow();
    await yieldToEventLoop();
    expect(runs).toEqual([0, 0]);
    expect(clock.nextWakeTime).toBe(1_000);
    service.runNow();
    await yieldToEventLoop();
    expect(runs).toEqual([0, 0, 0]);
    await service.stop();
  });

  it('keeps its interval if the wall clock is set forward or back', async () => {
    const { clock, runs, service } = setUp();
    await service.start();
    await yieldToEventLoop();
    clock.stepTo(7_200_000);
    await yieldToEventLoop();
    clock.stepTo(-3_600_000);
    await yieldToEventLoop();
    expect(runs).toEqual([0]);
    clock.advanceBy(1_000);
    await yieldToEventLoop();
    expect(runs).toEqual([0, -3_599_000]);
    await service.stop();
  });
});
