import { ManualClock } from '../../../../src/base/manual-clock';
import { triggerKey } from '../../../../src/domain/keys';
import { RejectedTriggers } from '../../../../src/store/sql/runtime/rejected-triggers';
import { aTrigger } from '../../engine/samples';

const MINUTE = 60_000;

describe('RejectedTriggers', () => {
  const setUp = () => {
    const clock = new ManualClock();
    return { clock, aside: new RejectedTriggers(clock) };
  };
  const reservation = (fireInstanceId: string) => ({ trigger: aTrigger(), fireInstanceId });
  const idsOf = (owed: ReturnType<RejectedTriggers['takePendingReleases']>) =>
    owed.map(({ fireInstanceId }) => fireInstanceId);

  it('passes a trigger over for a minute', () => {
    const { clock, aside } = setUp();
    const key = triggerKey('bad', 'group');
    expect(aside.has(key)).toBe(false);
    aside.add(key);
    expect([aside.has(key), aside.has(triggerKey('bad', 'other'))]).toEqual([true, false]);
    clock.advanceBy(MINUTE - 1);
    expect(aside.has(key)).toBe(true);
    clock.advanceBy(1);
    expect(aside.has(key)).toBe(false);
  });

  it('goes by monotonic time: a wall clock that is set changes nothing', () => {
    const { clock, aside } = setUp();
    aside.add(triggerKey('bad'));
    clock.stepTo(10 * MINUTE);
    expect(aside.has(triggerKey('bad'))).toBe(true);
  });

  it('hands back reservations at once, or after a minute where the row is at fault; each once', () => {
    const { clock, aside } = setUp();
    expect(aside.takePendingReleases()).toEqual([]);
    aside.addPendingRelease(reservation('refused'), true);
    aside.addPendingRelease(reservation('lost'), false);
    aside.addPendingRelease(reservation('lost'), false);
    expect([idsOf(aside.takePendingReleases()), idsOf(aside.takePendingReleases())]).toEqual([['lost'], []]);
    clock.advanceBy(MINUTE);
    expect([idsOf(aside.takePendingReleases()), idsOf(aside.takePendingReleases())]).toEqual([['refused'], []]);
  });
});
