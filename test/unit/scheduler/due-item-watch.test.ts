import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { DueItemWatch } from '../../../src/scheduler/due-item-watch';

/** A watch over items in a store, and the times of its polls. */
async function watching() {
  const clock = new ManualClock(0);
  const polls: number[] = [];
  const stored: number[] = [];
  const poll = async () => {
    polls.push(clock.now());
    return stored.find((time) => time > clock.now()) ?? null;
  };
  const watch = new DueItemWatch({ clock, bus: { publish: () => undefined }, name: 'watch', during: 'testing', poll });
  const advanceTo = async (time: number) => {
    clock.advanceBy(time - clock.now());
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
  };
  await watch.service.start();
  await advanceTo(1);
  return { watch, polls, stored, advanceTo };
}

describe('a watch for due items', () => {
  it('polls when an expected item is due, and not before', async () => {
    const { watch, polls, stored, advanceTo } = await watching();
    watch.expect(5_000);
    await advanceTo(4_999);
    stored.push(8_000);
    expect(polls).toEqual([0]);
    await advanceTo(5_000);
    await advanceTo(8_000);
    expect(polls).toEqual([0, 5_000, 8_000]);
    await watch.service.stop();
  });

  it('keeps a later expected time across polls', async () => {
    const { watch, polls, advanceTo } = await watching();
    watch.expect(40_000);
    for (const time of [30_001, 40_000]) await advanceTo(time);
    expect(polls).toEqual([0, 30_001, 40_000]);
    await watch.service.stop();
  });
});
