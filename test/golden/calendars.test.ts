import type { Calendar, CalendarData } from '../../src/domain/calendars/calendar';
import { calendarFrom } from '../../src/domain/calendars/calendar-from-data';
import { fastestRun } from '../support/fastest-run';
import { type CalendarRow, calendarOfRow, goldenRows, orRefused } from '../support/golden-answers';

const MAX_ANSWER = 50;

const rows = goldenRows<CalendarRow>('calendars.jsonl');
const asked = rows.filter((row) => row.kind !== 'construct');
const built = rows.filter((row) => row.kind === 'construct');

/** Rows on which we differ, with both answers. */
function differences(calendars: (row: CalendarRow) => Calendar) {
  return asked.flatMap((row) => {
    const calendar = calendars(row);
    const included = orRefused(() => calendar.isIncluded(row.at));
    const next = orRefused(() => calendar.nextIncludedTime(row.at) ?? 0);
    const wantIncluded = row.includedErr ? 'refused' : row.included;
    const wantNext = row.nextErr === 'HANG' ? next : row.nextErr ? 'refused' : row.next;
    return included === wantIncluded && next === wantNext
      ? []
      : [{ id: row.id, included, next, wantIncluded, wantNext }];
  });
}

describe('calendars, as the real Quartz answers', () => {
  it('has the rows', () => {
    expect([asked.length, built.length]).toEqual([934, 8]);
  });

  it('includes the same times and finds the same next ones', () => {
    expect(differences((row) => calendarOfRow(row))).toEqual([]);
  });

  it('does so too after a trip through JSON', () => {
    const throughJson = (row: CalendarRow) =>
      calendarFrom(JSON.parse(JSON.stringify(calendarOfRow(row))) as CalendarData, 'quartz');
    expect(differences(throughJson)).toEqual([]);
  });

  it('accepts and refuses the same ranges of the day', () => {
    const accepted = built.map((row) => orRefused(() => calendarOfRow(row)) !== 'refused');
    expect(accepted).toEqual(built.map((row) => row.ok));
  });

  it('answers within 50 ms where Quartz never does', () => {
    const hanging = asked.filter((row) => row.nextErr === 'HANG');
    expect(hanging.length).toBe(13);
    const slow = hanging.filter((row) => {
      const calendar = calendarOfRow(row);
      return fastestRun(() => calendar.nextIncludedTime(row.at), MAX_ANSWER) >= MAX_ANSWER;
    });
    expect(slow).toEqual([]);
  });
});
