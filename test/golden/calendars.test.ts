import type { Calendar, CalendarData } from '../../src/domain/calendars/calendar';
import { calendarFrom } from '../../src/domain/calendars/calendar-from-data';
import { fastestRun } from '../support/fastest-run';
import { type CalendarRow, calendarOfRow, goldenRows, orRefused } from '../support/golden-answers';

const MAX_ANSWER = 50;

const rows = goldenRows<CalendarRow>('calendars.jsonl');
const asked = rows.filter((row) => row.kind !== 'construct');
const built = rows.filter((row) => row.kind === 'construct');

/** Rows with a different answer, with both answers. */
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

describe('calendars compared with recorded answers of Quartz', () => {
  it('cover 934 queries and 8 calendars', () => {
    expect([asked.length, built.length]).toEqual([934, 8]);
  });

  it('include the same times and have the same next included times', () => {
    expect(differences((row) => calendarOfRow(row))).toEqual([]);
  });

  it('also give the recorded answers after a conversion to JSON and back', () => {
    const throughJson = (row: CalendarRow) =>
      calendarFrom(JSON.parse(JSON.stringify(calendarOfRow(row))) as CalendarData, 'quartz');
    expect(differences(throughJson)).toEqual([]);
  });

  it('accept and refuse the same time ranges of a day', () => {
    const accepted = built.map((row) => orRefused(() => calendarOfRow(row)) !== 'refused');
    expect(accepted).toEqual(built.map((row) => row.ok));
  });

  it('answer within 50 ms if Quartz never does', () => {
    const hanging = asked.filter((row) => row.nextErr === 'HANG');
    expect(hanging.length).toBe(13);
    const slow = hanging.filter((row) => {
      const calendar = calendarOfRow(row);
      return fastestRun(() => calendar.nextIncludedTime(row.at), MAX_ANSWER) >= MAX_ANSWER;
    });
    expect(slow).toEqual([]);
  });
});
