import fc from 'fast-check';
import type { Calendar, CalendarData } from '../../../../src/domain/calendars/calendar';
import { calendarFrom } from '../../../../src/domain/calendars/calendar-from-data';
import { fastestRun } from '../../../support/fastest-run';

const FIRST = Date.parse('2001-01-01T00:00Z');
const LAST = Date.parse('2040-01-01T00:00Z');
const MAX_ANSWER = 50;

const time = fc.integer({ min: FIRST, max: LAST });
const timeZone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana');
const timeOfDay = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59))
  .map((parts) => parts.map((n) => String(n).padStart(2, '0')).join(':'));

/** The fields of one calendar, of any type. */
const link = fc.oneof(
  fc.constant({ type: 'base' }),
  fc.record({ type: fc.constant('weekly'), excludedDays: fc.uniqueArray(fc.integer({ min: 1, max: 7 })) }),
  fc.record({ type: fc.constant('monthly'), excludedDays: fc.uniqueArray(fc.integer({ min: 1, max: 31 })) }),
  fc.record({
    type: fc.constant('annual'),
    excludedDays: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 })), {
      maxLength: 40,
    }),
  }),
  fc.record({
    type: fc.constant('holiday'),
    excludedDates: fc.array(
      time.map((at) => new Date(at).toISOString().slice(0, 10)),
      { maxLength: 40 },
    ),
  }),
  fc
    .record({ type: fc.constant('daily'), from: timeOfDay, to: timeOfDay, invert: fc.boolean() })
    .filter(({ from, to }) => from < to),
  fc.record({
    type: fc.constant('cron'),
    cronExpression: fc.constantFrom(
      '* * 0-7,18-23 ? * *',
      '0/2 * * ? * *',
      '* * * ? * MON-FRI',
      '0 30 2 ? * *',
      '* * * L * ?',
    ),
  }),
);

/** Up to five calendars, chained. */
const chain = fc
  .array(fc.tuple(link, timeZone), { minLength: 1, maxLength: 5 })
  .map((links) => links.reduce<object | null>((base, [fields, zone]) => ({ ...fields, timeZone: zone, base }), null));

const withoutBase = ({ base: _, ...own }: CalendarData) => calendarFrom(own);

describe('any chain of calendars', () => {
  it('is equal after serialization to JSON and back', () => {
    fc.assert(
      fc.property(chain, time, (data, at) => {
        const calendar = calendarFrom(data);
        const again = calendarFrom(JSON.parse(JSON.stringify(calendar)));
        expect(again.toJSON()).toEqual(calendar.toJSON());
        expect(again.isIncluded(at)).toBe(calendar.isIncluded(at));
      }),
    );
  });

  it('includes exactly the times that each of its calendars includes alone', () => {
    fc.assert(
      fc.property(chain, time, (data, at) => {
        const calendar = calendarFrom(data);
        const all: boolean[] = [];
        for (let each: CalendarData | null = calendar.toJSON(); each !== null; each = each.base) {
          all.push(withoutBase(each).isIncluded(at));
        }
        expect(calendar.isIncluded(at)).toBe(all.every((included) => included));
      }),
    );
  });

  it('returns a next included time within 50 ms, which is exact for daily and cron calendars', () => {
    fc.assert(
      fc.property(chain, time, fc.double({ min: 0, max: 1, noNaN: true }), (data, at, fraction) => {
        const calendar: Calendar = calendarFrom(data);
        expect(fastestRun(() => calendar.nextIncludedTime(at), MAX_ANSWER)).toBeLessThan(MAX_ANSWER);
        const next = calendar.nextIncludedTime(at);
        const { type, base } = calendar.toJSON();
        if (next === null || base !== null || (type !== 'daily' && type !== 'cron')) return;
        expect([next > at, calendar.isIncluded(next)]).toEqual([true, true]);
        const between = at + 1 + Math.floor(fraction * (next - at - 1));
        expect(between < next && calendar.isIncluded(between)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
