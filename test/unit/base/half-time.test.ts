import { ManualClock } from '../../../src/base/manual-clock';
import { HalfTime } from '../../../src/base/yield-to-event-loop';

describe('HalfTime', () => {
  it('pauses for as long as the last time slice took, but not before it has ended', async () => {
    const clock = new ManualClock(1_000);
    const half = new HalfTime(clock);
    clock.advanceTo(1_004);
    await half.rest();
    clock.advanceTo(1_008);
    const turn = half.rest();
    expect(clock.nextWakeTime).toBe(1_016);
    clock.advanceTo(1_016);
    await turn;
    await half.rest();
    expect(clock.nextWakeTime).toBeNull();
  });
});
