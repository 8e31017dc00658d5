import { catchUpGroup, fireTimesIn, recoverMissed } from '../../../src/domain/catch-up';
import { checkCatchUp } from '../../../src/domain/catch-up-policy';
import { occurrenceOfTrigger } from '../../../src/domain/occurrence';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import { aTrigger } from '../engine/samples';

const SECOND = 1_000;
const DAY = 86_400_000;
const INVALID = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
const everySecond = (changes: Partial<SimpleTrigger> = {}): SimpleTrigger => ({
  ...(aTrigger({}) as SimpleTrigger),
  startTime: 0,
  nextFireTime: 0,
  repeatCount: -1,
  repeatInterval: SECOND,
  ...changes,
});
const clock = (now: number) => ({ now, misfireThreshold: 100 });

describe('a catch-up policy', () => {
  it('gets defaults for omitted fields', () => {
    expect(checkCatchUp({}, 'a test')).toEqual({ max: 100, window: DAY, pace: 0 });
    const given = { max: 5, window: 'PT1H', pace: '2s' };
    expect(checkCatchUp(given, 'a test')).toEqual({ max: 5, window: 3_600_000, pace: 2_000 });
    expect(checkCatchUp(checkCatchUp(given, 'a test'), 'a test')).toEqual(checkCatchUp(given, 'a test'));
  });

  it.each([
    5,
    null,
    'all',
    { max: 0 },
    { max: 1_001 },
    { max: 1.5 },
    { window: 0 },
    { window: 'often' },
    { pace: -1 },
    { limit: 5 },
  ])('refuses %j', (given) => {
    expect(() => checkCatchUp(given, 'a test')).toThrow(INVALID);
  });
});

describe('catch-up runs', () => {
  it('are computed for a window of a year in less than 2 s of CPU time', () => {
    const catchUp = { max: 1_000, window: 366 * DAY, pace: 0 };
    const begun = process.cpuUsage().user;
    const { trigger, caughtUp } = recoverMissed(everySecond({ policy: { catchUp } }), null, clock(366 * DAY));
    expect(process.cpuUsage().user - begun).toBeLessThan(2_000_000);
    expect(caughtUp).toHaveLength(1_000);
    const times = caughtUp.map((each) => occurrenceOfTrigger(each).scheduledTime);
    expect([times[0], times.at(-1)]).toEqual([366 * DAY - 999 * SECOND, 366 * DAY]);
    expect(trigger.nextFireTime).toBe(366 * DAY + SECOND);
  });

  it('count as firings of a trigger with a repeat count, and keep its misfire instruction', () => {
    const catchUp = { max: 10, window: DAY, pace: 0 };
    const before = everySecond({ repeatCount: 5, policy: { catchUp }, misfireInstruction: 'FIRE_NOW' });
    const { trigger, caughtUp } = recoverMissed(before, null, clock(3_500));
    expect(caughtUp).toHaveLength(4);
    expect(trigger).toMatchObject({ nextFireTime: 4_000, timesTriggered: 4, misfireInstruction: 'FIRE_NOW' });
    expect(recoverMissed(before, null, clock(60_000)).trigger.nextFireTime).toBeNull();
    expect(recoverMissed(before, null, clock(60_000)).caughtUp).toHaveLength(6);
  });

  it('include the start of their range but not its end, and at most the given number of fire times', () => {
    expect(fireTimesIn(everySecond(), null, { from: 1_000, to: 4_000 })).toEqual([1_000, 2_000, 3_000]);
    expect(fireTimesIn(everySecond(), null, { from: 1_000, to: 4_000, atMost: 2 })).toEqual([1_000, 2_000]);
  });

  it('have a separate group for each trigger, with a name that fits the column', () => {
    const groups = [
      { group: 'a', name: 'b' },
      { group: 'a.b', name: 'c' },
      { group: 'a', name: 'b.c' },
      { group: 'x'.repeat(190), name: 'a' },
      { group: 'x'.repeat(190), name: 'b' },
    ].map(catchUpGroup);
    expect(groups[0]).toBe('BACKFILL_a.b');
    expect(new Set(groups).size).toBe(5);
    for (const group of groups) expect([...group].length).toBeLessThanOrEqual(190);
  });
});
