import { DateTime } from 'luxon';
import { isoText, localText } from '../../../../src/domain/time/local-text';
import { timeZoneOf } from '../../../../src/domain/time/time-zone';

const berlin = timeZoneOf('Europe/Berlin');
const AT = Date.parse('2026-07-04T12:05:09.123Z');

describe('the text of a time in a time zone', () => {
  it.each([
    'Europe/Berlin',
    'America/St_Johns',
    'Asia/Kathmandu',
    'UTC',
    'Europe/London',
  ])('is the ISO-8601 text of luxon: %s', (name) => {
    for (let time = Date.parse('1950-01-01'); time < Date.parse('2040-01-01'); time += 41 * 86_399_123)
      expect(isoText(time, timeZoneOf(name))).toBe(DateTime.fromMillis(time, { zone: name }).toISO());
  });

  it('has the offset of a zone without clock changes', () => {
    expect(isoText(AT, timeZoneOf('GMT+08:00'))).toBe('2026-07-04T20:05:09.123+08:00');
    expect(isoText(AT, timeZoneOf('GMT-05:30'))).toBe('2026-07-04T06:35:09.123-05:30');
  });

  it.each([
    ['yyyy yy y G', '2026 26 2026 AD'],
    ['M MM MMM MMMM', '7 07 Jul July'],
    ['d dd D DDD', '4 04 185 185'],
    ['E EEEE u', 'Sat Saturday 6'],
    ['H HH h a K k', '14 14 2 PM 2 14'],
    ['m:ss.SSS S', '5:09.123 123'],
    ['z Z XXX', 'GMT+2 +0200 +02:00'],
    ['zzzz', 'Central European Summer Time'],
    ["'o''clock' '' h", "o'clock ' 2"],
    ['q 1', 'q 1'],
  ])('follows the pattern of Java %p', (pattern, text) => {
    expect(localText(AT, berlin, pattern)).toBe(text);
  });

  it('has the year of the ISO week for YYYY', () => {
    const texts = ['2027-01-01', '2027-01-03', '2027-01-04', '2025-12-29'].map((day) =>
      localText(Date.parse(`${day}T12:00Z`), berlin, 'YYYY'),
    );
    expect(texts).toEqual(['2026', '2026', '2027', '2026']);
  });

  it('names a zone without clock changes by its offset', () => {
    expect(localText(AT, timeZoneOf('GMT+08:00'), 'z')).toBe('GMT+08:00');
  });
});
