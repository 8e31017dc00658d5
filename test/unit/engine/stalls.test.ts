import { DEFAULT_SQL } from '../../../src/config/default-config';
import type { SchedulerConfig } from '../../../src/config/scheduler-config';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { LoadCounts } from '../../../src/domain/load-counts';
import { anEngine, type Harness } from './harness';

/*
 * `advanceTo` of the harness stops at every timer. The clock's own `advanceTo` jumps, which simulates a blocked event loop.
 */

let harness: Harness;
let fired: number[];
let load: LoadCounts;

const withStall = async (yieldAfterStall: number) => {
  fired = [];
  load = new LoadCounts();
  const sql = { ...DEFAULT_SQL, yieldAfterStall } as unknown as NonNullable<SchedulerConfig['jobStore']['sql']>;
  harness = await anEngine({
    load,
    jobStore: { misfireThreshold: 60_000, maxMisfiresToHandleAtATime: 2, sql },
    jobs: { job: () => void fired.push(harness.clock.now()) },
  });
  await harness.engine.start();
};

beforeEach(() => withStall(5_000));

afterEach(async () => {
  await harness.engine.shutdown({ waitForJobs: false, deadline: 0 });
});

const stallUntil = async (time: number) => {
  harness.clock.advanceTo(time);
  await harness.settle();
};

const stalls = () =>
  harness.eventsOf('nodeStalled').map(({ at, stalledFor, holdsBackUntil }) => [at, stalledFor, holdsBackUntil]);

describe('a cluster node whose event loop was blocked', () => {
  beforeEach(() => harness.engine.setOthers(true));

  it('releases its acquired trigger, and fires it if no other node does within 2 s', async () => {
    await harness.schedule({}, { startTime: 12_000 });
    await harness.advanceTo(10_000);
    await expect(harness.stateOf()).resolves.toBe('ACQUIRED');
    await stallUntil(21_000);
    expect([fired, await harness.stateOf()]).toEqual([[], 'WAITING']);
    expect(stalls()).toEqual([[21_000, 10_000, 31_000]]);
    await harness.advanceTo(22_900);
    expect(fired).toEqual([]);
    await harness.advanceTo(23_100);
    expect(fired).toEqual([23_000]);
  });

  it('reports the runs that executed during the stall, including one that has just ended', async () => {
    harness.registry.replace('job', () => void harness.clock.advanceTo(harness.clock.now() + 10_000));
    harness.registry.register('long', () => new Promise(() => {}));
    await harness.schedule(
      { key: jobKey('long'), jobType: 'long' },
      { key: triggerKey('long'), jobKey: jobKey('long') },
    );
    await harness.schedule({}, { startTime: 1_000 });
    await harness.advanceTo(13_000);
    const [event] = harness.eventsOf('nodeStalled');
    expect(event?.runs).toMatchObject([
      { jobKey: jobKey('long'), triggerKey: triggerKey('long'), fireTime: 0 },
      { jobKey: jobKey('job'), fireTime: 1_000 },
    ]);
  });

  it('leaves each due trigger to the other nodes for 2 s until its hold ends', async () => {
    await harness.advanceTo(1_000);
    await stallUntil(12_000);
    expect(stalls()).toEqual([[12_000, 10_000, 22_000]]);
    await harness.schedule({}, { startTime: 12_500, repeatCount: 20, repeatInterval: 5_000 });
    await harness.advanceTo(21_900);
    // Due at 12.5 s and 17.5 s: the node polls every 2 s for triggers that have been due for more than 2 s.
    expect(fired).toEqual([16_000, 20_000]);
    await harness.advanceTo(27_600);
    expect(fired.slice(2)).toEqual([22_500, 27_500]);
  });

  it('holds back longer after each stall, up to 5 minutes, and starts anew after 5 calm minutes', async () => {
    await harness.advanceTo(1_000);
    const shown = [load.read().holdBack];
    for (const end of [12_000, 23_000, 234_000]) {
      await stallUntil(end);
      shown.push(load.read().holdBack);
    }
    await harness.advanceTo(540_000);
    await stallUntil(551_000);
    shown.push(load.read().holdBack);
    expect(stalls()).toEqual([
      [12_000, 10_000, 22_000],
      [23_000, 10_000, 43_000],
      [234_000, 210_000, 534_000],
      [551_000, 10_000, 561_000],
    ]);
    expect(shown).toEqual([
      null,
      { since: 12_000, until: 22_000 },
      // The second stall ended after the first hold, the third after the second.
      { since: 23_000, until: 43_000 },
      { since: 234_000, until: 534_000 },
      { since: 551_000, until: 561_000 },
    ]);
  });

  it('shows a single hold since the first stall when stalls follow each other', async () => {
    await harness.advanceTo(1_000);
    await stallUntil(12_000);
    await stallUntil(20_000);
    expect(load.read().holdBack).toEqual({ since: 12_000, until: 34_000 });
  });

  it('fires batch after batch of triggers that the other nodes leave', async () => {
    await harness.advanceTo(1_000);
    await stallUntil(12_000);
    const names = Array.from({ length: 25 }, (_, at) => ({
      key: { group: 'DEFAULT', name: `t${at}` },
      startTime: 1_000,
    }));
    await harness.schedule({}, ...names);
    await harness.advanceTo(14_000);
    expect(fired).toHaveLength(25);
  });

  it('stops holding back when no other node is left', async () => {
    await harness.advanceTo(1_000);
    await stallUntil(12_000);
    harness.engine.setOthers(false);
    expect(load.read().holdBack).toBeNull();
    await harness.schedule({}, { startTime: 15_000 });
    await harness.advanceTo(15_000);
    expect(fired).toEqual([15_000]);
  });

  it('continues without a hold after a shorter stall', async () => {
    await harness.schedule({}, { startTime: 5_000 });
    await harness.advanceTo(1_000);
    await stallUntil(7_000);
    expect([fired, stalls()]).toEqual([[7_000], []]);
  });
});

describe('a node fires at once after any stall', () => {
  it('if it is alone', async () => {
    await harness.schedule({}, { startTime: 5_000 });
    await harness.advanceTo(1_000);
    await stallUntil(40_000);
    expect([fired, stalls()]).toEqual([[40_000], []]);
  });

  it('if yieldAfterStall is 0', async () => {
    await harness.engine.shutdown({ waitForJobs: false, deadline: 0 });
    await withStall(0);
    harness.engine.setOthers(true);
    await harness.schedule({}, { startTime: 5_000 });
    await harness.advanceTo(1_000);
    await stallUntil(40_000);
    expect([fired, stalls()]).toEqual([[40_000], []]);
  });
});
