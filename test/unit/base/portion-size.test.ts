import { ManualClock } from '../../../src/base/manual-clock';
import { PortionSize } from '../../../src/base/portion-size';

function setUp() {
  const clock = new ManualClock(1_000);
  const size = new PortionSize(clock);
  /** Reports a portion of `done` items that took `each` milliseconds per item. */
  const portion = (done: number, each: number) =>
    size.measure(async () => {
      clock.advanceTo(clock.now() + done * each);
      return { done };
    });
  return { size, portion };
}

describe('PortionSize', () => {
  it('adapts to the number of items that take 10 ms', async () => {
    const { size, portion } = setUp();
    for (let count = 0; count < 6; count++) await portion(size.size, 0.1);
    expect(size.size).toBe(100);
    for (let count = 0; count < 6; count++) await portion(size.size, 0.01);
    expect(size.size).toBe(1_000);
  });

  it('is at most halved after one portion, which may have waited for other work', async () => {
    const { size, portion } = setUp();
    await portion(200, 50);
    expect(size.size).toBe(100);
  });

  it('stays between 50 and 2,000', async () => {
    const { size, portion } = setUp();
    for (let count = 0; count < 9; count++) await portion(size.size, 1_000);
    expect(size.size).toBe(50);
    for (let count = 0; count < 9; count++) await portion(size.size, 0);
    expect(size.size).toBe(2_000);
  });

  it('is not changed by a portion of very few items', async () => {
    const { size, portion } = setUp();
    await portion(1, 1_000);
    expect(size.size).toBe(200);
  });
});
