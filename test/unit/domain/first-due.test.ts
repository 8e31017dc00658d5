import { firstDueAfterMisfire, firstDueOf } from '../../../src/domain/first-due';
import { firstDueData, firstDueTimeOf } from '../../../src/domain/occurrence';
import { MINUTE, NOW, once, SECOND } from '../../conformance/samples';

const at = (nextFireTime: number | null) => once('trigger', { nextFireTime });

describe('firstDueAfterMisfire', () => {
  const caughtUp: never[] = [];

  it.each([
    ['to now', NOW],
    ['to a later time, which skips the missed one', NOW + MINUTE],
  ])('keeps the missed fire time of a trigger that is moved %s', (_name, nextFireTime) => {
    const recovered = { trigger: at(nextFireTime), caughtUp };
    expect(firstDueAfterMisfire(at(NOW - MINUTE), recovered, null)).toEqual({
      nextFireTime,
      firstDueTime: NOW - MINUTE,
    });
  });

  it('keeps the earliest missed fire time after several misfires', () => {
    const recovered = { trigger: at(NOW), caughtUp };
    expect(firstDueAfterMisfire(at(NOW - MINUTE), recovered, NOW - 9 * MINUTE)?.firstDueTime).toBe(NOW - 9 * MINUTE);
  });

  it.each([
    ['is not moved', { trigger: at(NOW - MINUTE), caughtUp }],
    ['will not fire again', { trigger: at(null), caughtUp }],
    ['has runs that catch up', { trigger: at(NOW), caughtUp: [at(NOW)] }],
  ])('returns null for a trigger that %s', (_name, recovered) => {
    expect(firstDueAfterMisfire(at(NOW - MINUTE), recovered, null)).toBeNull();
  });
});

describe('firstDueOf', () => {
  const firstDue = { nextFireTime: NOW, firstDueTime: NOW - MINUTE };

  it('returns the first due time only while the trigger has the fire time that the misfire set', () => {
    expect(firstDueOf(at(NOW), firstDue)).toBe(NOW - MINUTE);
    expect(firstDueOf(at(NOW + SECOND), firstDue)).toBeNull();
    expect(firstDueOf(at(null), firstDue)).toBeNull();
    expect(firstDueOf(at(NOW), null)).toBeNull();
  });
});

describe('the first due time of an occurrence', () => {
  const retry = (data: Record<string, string>) =>
    once('retry', { key: { group: 'RETRYING_JOBS', name: 'retry' }, data });

  it('is that of the first firing, also for retries', () => {
    const first = { trigger: once(), firstDueTime: NOW - MINUTE };
    expect(firstDueTimeOf(first)).toBe(NOW - MINUTE);
    const second = { trigger: retry(firstDueData(first) as Record<string, string>), firstDueTime: NOW };
    expect(firstDueTimeOf(second)).toBe(NOW - MINUTE);
    expect(firstDueData(second)).toEqual(firstDueData(first));
  });

  it('is unknown if there was no misfire or if the stored value is invalid', () => {
    expect(firstDueData({ trigger: once() })).toEqual({});
    expect(firstDueTimeOf({ trigger: retry({}), firstDueTime: NOW })).toBeNull();
    expect(firstDueTimeOf({ trigger: retry({ QRTZ_X_OCCURRENCE_FIRST_DUE: 'soon' }) })).toBeNull();
  });
});
