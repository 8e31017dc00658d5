import { readSystemTimeZone, systemTimeZone, unnamedZoneWarning } from '../../../../src/domain/time/system-time-zone';
import { timeZoneOf } from '../../../../src/domain/time/time-zone';

const SUMMER = Date.UTC(2026, 5, 1);

describe('the time zone of the process', () => {
  it('can be used as a time zone', () => {
    expect(timeZoneOf(systemTimeZone()).name).toBe(systemTimeZone());
  });

  it('has the name that the system gives, without a warning', () => {
    const zone = readSystemTimeZone('Europe/Berlin', () => -60);
    expect(zone).toEqual({ name: 'Europe/Berlin', isNamed: true });
    expect(unnamedZoneWarning(zone)).toEqual([]);
  });

  // Zone names that Node returns for TZ=CST-8, an empty TZ, and TZ=GMT+8 (on Node 20 and on later versions).
  it.each([
    [null, -480, 'GMT+08:00'],
    [null, 330, 'GMT-05:30'],
    ['Etc/Unknown', 0, 'UTC'],
    ['GMT+08:00', 480, 'GMT-08:00'],
    ['+08:00', 480, 'GMT-08:00'],
  ])('named %p is the offset that its clock shows, with a warning', (named, minutesWest, expected) => {
    const zone = readSystemTimeZone(named, () => minutesWest);
    expect(zone).toEqual({ name: expected, isNamed: false });
    expect(timeZoneOf(zone.name).offsetAt(SUMMER)).toBe(0 - minutesWest * 60_000);
    expect(unnamedZoneWarning(zone)).toEqual([expect.stringContaining(`${expected} is used instead`)]);
  });

  it('is UTC if it has no name and its offset changes', () => {
    const zone = readSystemTimeZone(null, (instant) => (instant > SUMMER ? -120 : -60));
    expect(zone).toEqual({ name: 'UTC', isNamed: false });
  });
});
