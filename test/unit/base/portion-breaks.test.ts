import { ManualClock } from '../../../src/base/manual-clock';
import { PortionBreaks } from '../../../src/base/portion-breaks';

const never = new AbortController().signal;

function setUp() {
  const clock = new ManualClock(1_000);
  return { clock, breaks: new PortionBreaks(clock) };
}

/** A portion that takes `duration` milliseconds. */
function portion({ clock, breaks }: ReturnType<typeof setUp>, duration: number, signal = never): Promise<boolean> {
  breaks.begin();
  clock.advanceTo(clock.now() + duration);
  return breaks.end(signal);
}

describe('PortionBreaks', () => {
  it('lets quick portions follow each other, and pauses once they have taken 20 ms together', async () => {
    const parts = setUp();
    expect(await portion(parts, 10)).toBe(true);
    expect(await portion(parts, 9)).toBe(true);
    const third = portion(parts, 1);
    expect(parts.clock.nextWakeTime).toBe(1_040);
    parts.clock.advanceTo(1_040);
    expect(await third).toBe(true);
    expect(await portion(parts, 19)).toBe(true);
    expect(parts.clock.nextWakeTime).toBeNull();
  });

  it('does not count the time of other work', async () => {
    const parts = setUp();
    await portion(parts, 19);
    parts.breaks.forget();
    expect(await portion(parts, 19)).toBe(true);
    expect(parts.clock.nextWakeTime).toBeNull();
  });

  it('returns false when no further portion should begin', async () => {
    const parts = setUp();
    const closing = new AbortController();
    const slow = portion(parts, 60, closing.signal);
    closing.abort();
    expect(await slow).toBe(false);
    expect(await portion(parts, 1, closing.signal)).toBe(false);
  });
});
