import { Gate } from '../../../src/base/gate';
import { anEngine, type Harness } from './harness';

let gate: Gate;
let harness: Harness;
let fired: number[];

beforeEach(async () => {
  gate = new Gate();
  fired = [];
  harness = await anEngine({ gate, jobs: { job: () => void fired.push(harness.clock.now()) } });
  await harness.engine.start();
});

afterEach(async () => {
  await harness.engine.shutdown({ waitForJobs: false, deadline: 0 });
});

describe('an engine behind a gate', () => {
  it('acquires nothing while the gate is closed, and fires what is due when it opens', async () => {
    await harness.schedule({}, { startTime: 1_000 });
    await harness.advanceTo(5_000);
    expect(fired).toEqual([]);
    await expect(harness.stateOf()).resolves.toBe('WAITING');
    gate.open();
    await harness.settle();
    expect(fired).toEqual([5_000]);
  });

  it('gives back what it has acquired when the gate was closed meanwhile', async () => {
    gate.open();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.settle();
    await expect(harness.stateOf()).resolves.toBe('ACQUIRED');
    gate.close();
    await harness.advanceTo(10_000);
    expect(fired).toEqual([]);
    await expect(harness.stateOf()).resolves.toBe('WAITING');
    gate.open();
    await harness.settle();
    expect(fired).toEqual([10_000]);
  });

  it('can be stopped while it waits', async () => {
    await harness.engine.standby();
    gate.open();
    await harness.schedule({}, { startTime: 0 });
    await harness.settle();
    expect(fired).toEqual([]);
  });
});

describe('aborting the jobs of a node that has lost its lease', () => {
  it('aborts what runs, and nothing that begins later', async () => {
    gate.open();
    const aborted: boolean[] = [];
    harness.registry.register('waits', ({ signal }) => {
      aborted.push(signal.aborted);
      return new Promise<void>((resolve) => {
        if (aborted.length > 1) return resolve();
        signal.addEventListener('abort', () => resolve());
      });
    });
    await harness.schedule({ jobType: 'waits' }, { startTime: 0, repeatCount: 1, repeatInterval: 1_000 });
    await harness.settle();
    harness.engine.abortJobs();
    await harness.advanceTo(1_000);
    expect(aborted).toEqual([false, false]);
    expect(harness.eventsOf('triggerCompleted')).toHaveLength(2);
  });
});
