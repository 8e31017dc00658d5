import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Calendar, CalendarData } from '../../src/domain/calendars/calendar';
import { calendarFrom } from '../../src/domain/calendars/calendar-from-data';
import { fastestRun } from '../support/fastest-run';
import { calendarFromGolden, type GoldenCalendar } from '../support/golden-calendar';

/** What the real Quartz answered; an `…Err` is the class it threw, or HANG. */
interface Row {
  readonly id: string;
  readonly kind: string;
  readonly cal: GoldenCalendar;
  readonly defaultTz?: string;
  readonly at: number;
  readonly included?: boolean;
  readonly includedErr?: string;
  readonly next?: number;
  readonly nextErr?: string;
  readonly ok?: boolean;
}

const MAX_ANSWER = 50;

const rows = readFileSync(join(__dirname, 'calendars.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const asked = rows.filter((row) => row.kind !== 'construct');
const built = rows.filter((row) => row.kind === 'construct');

const calendarOf = (row: Row) => calendarFromGolden(row.cal, row.defaultTz ?? 'UTC') as Calendar;

/** The answer, or 'refused'. */
function answer<T>(ask: () => T): T | 'refused' {
  try {
    return ask();
  } catch {
    return 'refused';
  }
}

/** Rows on which we differ, with both answers. */
function differences(calendars: (row: Row) => Calendar) {
  return asked.flatMap((row) => {
    const calendar = calendars(row);
    const included = answer(() => calendar.isIncluded(row.at));
    const next = answer(() => calendar.nextIncludedTime(row.at) ?? 0);
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
    expect(differences(calendarOf)).toEqual([]);
  });

  it('does so too after a trip through JSON', () => {
    const throughJson = (row: Row) =>
      calendarFrom(JSON.parse(JSON.stringify(calendarOf(row))) as CalendarData, 'quartz');
    expect(differences(throughJson)).toEqual([]);
  });

  it('accepts and refuses the same ranges of the day', () => {
    const accepted = built.map((row) => answer(() => calendarOf(row)) !== 'refused');
    expect(accepted).toEqual(built.map((row) => row.ok));
  });

  it('answers within 50 ms where Quartz never does', () => {
    const hanging = asked.filter((row) => row.nextErr === 'HANG');
    expect(hanging.length).toBe(13);
    const slow = hanging.filter((row) => {
      const calendar = calendarOf(row);
      return fastestRun(() => calendar.nextIncludedTime(row.at), MAX_ANSWER) >= MAX_ANSWER;
    });
    expect(slow).toEqual([]);
  });
});
