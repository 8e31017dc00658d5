import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { LineBursts } from '../../../src/events/line-bursts';

describe('log lines for many triggers', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const bursts = new LineBursts(clock);
    const summaries: unknown[] = [];
    const admit = (times: readonly number[], code = 'a') =>
      times.filter((time) =>
        bursts.admits(code, time, ({ omitted, oldest }) => summaries.push([code, omitted, oldest])),
      );
    return { clock, bursts, summaries, admit };
  };
  const MANY = Array.from({ length: 4_000 }, (_, index) => 5_000 - index);

  it('are written ten times, then summarized with their number and the oldest time', async () => {
    const { clock, summaries, admit } = setUp();
    expect(admit(MANY)).toEqual(MANY.slice(0, 10));
    expect(summaries).toEqual([]);
    clock.advanceBy(5_000);
    for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    expect(summaries).toEqual([['a', 3_990, 1_001]]);
    expect(admit([1])).toEqual([1]);
  });

  it('are all written if there are at most ten', async () => {
    const { clock, summaries, admit } = setUp();
    expect(admit(MANY.slice(0, 10))).toHaveLength(10);
    clock.advanceBy(5_000);
    for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    expect(summaries).toEqual([]);
  });

  it('are counted per code, and summarized on shutdown', () => {
    const { bursts, summaries, admit } = setUp();
    admit(MANY.slice(0, 12), 'a');
    admit(MANY.slice(0, 11), 'b');
    bursts.end();
    expect(summaries).toEqual([
      ['a', 2, 4_989],
      ['b', 1, 4_990],
    ]);
  });
});
