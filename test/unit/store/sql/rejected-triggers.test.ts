import { ManualClock } from '../../../../src/base/manual-clock';
import { triggerKey } from '../../../../src/domain/keys';
import { RejectedTriggers } from '../../../../src/store/sql/rows/skipped-triggers';
import { aTrigger } from '../../engine/samples';

const MINUTE = 60_000;

describe('RejectedTriggers', () => {
  const setUp = () => {
    const clock = new ManualClock();
    return { clock, rejected: new RejectedTriggers(clock) };
  };
  const reservation = (runId: string, key = triggerKey(runId)) => ({
    trigger: { ...aTrigger(), key },
    runId,
  });
  const taken = (rejected: RejectedTriggers) => rejected.takePendingReleases().map((each) => each.runId);

  it('contains a rejected trigger for a minute', () => {
    const { clock, rejected } = setUp();
    const key = triggerKey('bad', 'group');
    expect(rejected.has(key)).toBe(false);
    rejected.add(key);
    expect([rejected.has(key), rejected.has(triggerKey('bad', 'other'))]).toEqual([true, false]);
    clock.advanceBy(MINUTE - 1);
    expect(rejected.has(key)).toBe(true);
    clock.advanceBy(1);
    expect(rejected.has(key)).toBe(false);
  });

  it('uses monotonic time, so a step of the wall clock has no effect', () => {
    const { clock, rejected } = setUp();
    rejected.add(triggerKey('bad'));
    clock.stepTo(10 * MINUTE);
    expect(rejected.has(triggerKey('bad'))).toBe(true);
  });

  it('returns each pending release once, and a rejected trigger only after a minute', () => {
    const { clock, rejected } = setUp();
    expect(taken(rejected)).toEqual([]);
    rejected.addPendingRelease(reservation('refused'));
    rejected.add(triggerKey('refused'));
    rejected.addPendingRelease(reservation('lost'));
    rejected.addPendingRelease(reservation('lost'));
    expect([taken(rejected), taken(rejected)]).toEqual([['lost'], []]);
    expect([rejected.isPendingRelease('refused'), rejected.isPendingRelease('lost')]).toEqual([true, false]);
    clock.advanceBy(MINUTE);
    expect([taken(rejected), taken(rejected)]).toEqual([['refused'], []]);
  });
});
