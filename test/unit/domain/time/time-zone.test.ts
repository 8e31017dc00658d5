import { IANAZone } from 'luxon';
import { SchedulerError } from '../../../../src/base/errors';
import { timeZoneOf } from '../../../../src/domain/time/time-zone';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const iso = (instant: number) => new Date(instant).toISOString().slice(0, 19);

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns', 'America/Recife'];

/** Fixed instants: the step between them covers all hours of the day and all parts of the year. */
const instants = Array.from(
  { length: 1_500 },
  (_, index) => at('1970-01-03T00:00:00Z') + index * (41 * DAY + 7 * HOUR),
);

describe('a time zone', () => {
  it.each([...ZONES, 'Pacific/Apia', 'Africa/Casablanca'])('has the same offsets as luxon: %s', (name) => {
    const zone = timeZoneOf(name);
    const source = IANAZone.create(name);
    const different = instants.filter((instant) => zone.offsetAt(instant) !== source.offset(instant) * 60_000);
    expect(different.map(iso)).toEqual([]);
  });

  it('changes its offset at the exact millisecond', () => {
    const zone = timeZoneOf('America/New_York');
    const change = at('2024-03-10T07:00:00Z');
    expect(zone.offsetAt(change - 1)).toBe(-5 * HOUR);
    expect(zone.offsetAt(change)).toBe(-4 * HOUR);
  });

  it('recognizes two offset changes that are a week apart', () => {
    const zone = timeZoneOf('America/Recife');
    expect(zone.offsetAt(at('2000-10-07T00:00:00Z'))).toBe(-3 * HOUR);
    expect(zone.offsetAt(at('2000-10-12T00:00:00Z'))).toBe(-2 * HOUR);
    expect(zone.offsetAt(at('2000-10-20T00:00:00Z'))).toBe(-3 * HOUR);
  });

  it.each(ZONES)('converts every local time to its instant: %s', (name) => {
    const zone = timeZoneOf(name);
    const readings = instants.map((instant) => zone.localAt(instant));
    expect(readings.filter((local) => zone.localAt(zone.instantOf(local)) !== local).map(iso)).toEqual([]);
    expect(readings.filter((local) => zone.localAt(zone.firstInstantOf(local)) !== local).map(iso)).toEqual([]);
  });

  it('returns the later of two instants with the same local time, or the earlier one on request', () => {
    const zone = timeZoneOf('Europe/Berlin');
    const local = at('2024-10-27T02:30:00Z');
    expect(iso(zone.instantOf(local))).toBe('2024-10-27T01:30:00');
    expect(iso(zone.firstInstantOf(local))).toBe('2024-10-27T00:30:00');
  });

  it('moves a local time that does not exist forward by the gap', () => {
    expect(iso(timeZoneOf('Europe/Berlin').instantOf(at('2024-03-31T02:30:00Z')))).toBe('2024-03-31T01:30:00');
    const apia = timeZoneOf('Pacific/Apia');
    expect(iso(apia.localAt(apia.instantOf(at('2011-12-30T09:00:00Z'))))).toBe('2011-12-31T09:00:00');
  });

  it('converts local times unambiguously within the stable part of a span', () => {
    for (const name of ZONES) {
      const zone = timeZoneOf(name);
      const broken = instants.filter((instant) => {
        const { offset, stableUntil } = zone.spanAt(instant);
        return [instant, (instant + stableUntil) / 2, stableUntil - 1]
          .filter((later) => later >= instant && later < stableUntil)
          .some((later) => zone.instantOf(later + offset) !== later);
      });
      expect([name, ...broken.map(iso)]).toEqual([name]);
    }
  });

  it('has an offset for any year', () => {
    const zone = timeZoneOf('Europe/Berlin');
    expect(zone.offsetAt(at('1600-01-01T00:00:00Z'))).toBe(
      IANAZone.create('Europe/Berlin').offset(at('1600-01-01T00:00:00Z')) * 60_000,
    );
    expect(zone.offsetAt(Date.UTC(9000, 6, 1))).toBe(2 * HOUR);
  });

  it('is cached by its name', () => {
    expect(timeZoneOf('Asia/Tokyo')).toBe(timeZoneOf('Asia/Tokyo'));
  });

  it.each(['', 'Mars/Phobos', '__proto__', 'UTC ', 5 as never])('is refused if its name is unknown: %p', (name) => {
    expect(() => timeZoneOf(name)).toThrow(SchedulerError);
    expect(() => timeZoneOf(name)).toThrow(/Expected an IANA time zone/);
  });
});
