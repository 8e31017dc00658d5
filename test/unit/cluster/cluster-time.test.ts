import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { clusterTime } from '../../../src/cluster/cluster-clock';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';

async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  clock.advanceBy(milliseconds);
  await yieldToEventLoop();
}

const OFFSET = 90_000;

/** A store whose clock is ahead, and whose answers take these round trips; a slow one reads its clock at the very end. */
function storeWith(local: ManualClock, trips: readonly number[]) {
  let reads = 0;
  return {
    async readClock() {
      local.advanceBy(trips[reads++] ?? 0);
      return local.now() + OFFSET;
    },
  };
}

it('is set by the quickest of the first readings: connecting makes it no faster', async () => {
  const local = new ManualClock(1_000_000);
  const { clock } = await clusterTime(local, storeWith(local, [800, 300, 42, 400, 200, 500]), () => {});
  expect(clock.now() - local.now() - OFFSET).toBe(11); // half of the 42 ms, less the 10 that it may be late
  expect(clock.monotonic()).toBe(local.monotonic());
});

it("warns when this machine's clock is another one than the store's", async () => {
  const warnings: SchedulerEvent[] = [];
  const local = new ManualClock(1_000_000);
  await clusterTime(local, storeWith(local, []), (event) => warnings.push(event));
  expect(warnings).toMatchObject([
    { type: 'configurationWarning', message: expect.stringMatching(/clock is 90 s behind the database's/) },
  ]);
});

it('says nothing of a clock that is right', async () => {
  const warnings: SchedulerEvent[] = [];
  const local = new ManualClock(1_000_000);
  await clusterTime(local, { readClock: async () => local.now() + 400 }, (event) => warnings.push(event));
  expect(warnings).toEqual([]);
});

it('cannot be had from a store that does not answer', async () => {
  const readClock = () => Promise.reject(new Error('gone'));
  await expect(clusterTime(new ManualClock(0), { readClock }, () => {})).rejects.toThrow('gone');
});

it('keeps in step while its service runs, and tells of the first failure only', async () => {
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
