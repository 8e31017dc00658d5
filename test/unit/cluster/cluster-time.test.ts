import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { clusterTime } from '../../../src/cluster/cluster-clock';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';

async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  clock.advanceBy(milliseconds);
  await yieldToEventLoop();
}

const OFFSET = 90_000;

/** A store whose clock is ahead and whose answers take these round trips. A slow answer reads the clock at its end. */
function storeWith(local: ManualClock, trips: readonly number[]) {
  let reads = 0;
  return {
    async readClock() {
      local.advanceBy(trips[reads++] ?? 0);
      return local.now() + OFFSET;
    },
  };
}

it('cluster time is set by the fastest of the first readings', async () => {
  const local = new ManualClock(1_000_000);
  const { clock } = await clusterTime(local, storeWith(local, [800, 300, 42, 400, 200, 500]), () => {});
  expect(clock.now() - local.now() - OFFSET).toBe(11); // half of the 42 ms, less the 10 ms that it may be late
  expect(clock.monotonic()).toBe(local.monotonic());
});

it('cluster time warns if the clock of this machine differs from the clock of the store', async () => {
  const warnings: SchedulerEvent[] = [];
  const local = new ManualClock(1_000_000);
  await clusterTime(local, storeWith(local, []), (event) => warnings.push(event));
  expect(warnings).toMatchObject([
    { type: 'configurationWarning', message: expect.stringMatching(/clock is 90 s behind the database's/) },
  ]);
});

it('cluster time does not warn of a correct clock', async () => {
  const warnings: SchedulerEvent[] = [];
  const local = new ManualClock(1_000_000);
  await clusterTime(local, { readClock: async () => local.now() + 400 }, (event) => warnings.push(event));
  expect(warnings).toEqual([]);
});

it('cluster time rejects if the store does not answer', async () => {
  const readClock = () => Promise.reject(new Error('gone'));
  await expect(clusterTime(new ManualClock(0), { readClock }, () => {})).rejects.toThrow('gone');
});

it('cluster time is updated while its service runs, and reports only the first failure', async () => {
  const events: SchedulerEvent[] = [];
  const local = new ManualClock(1_000_000);
  let isDown = false;
  let reads = 0;
  const readClock = async () => {
    reads++;
    if (isDown) throw new Error('gone');
    return local.now();
  };
  const { service } = await clusterTime(local, { readClock }, (event) => events.push(event));
  await service.start();
  await yieldToEventLoop();
  const before = reads;
  for (let passed = 0; passed < 2; passed++) await pass(local, 10_000);
  expect(reads).toBe(before + 2);
  isDown = true;
  for (let passed = 0; passed < 3; passed++) await pass(local, 10_000);
  expect(events).toMatchObject([{ type: 'schedulerError', during: "reading the database's clock" }]);
  await service.stop();
});
