import { nearestName } from '../../config/nearest-name';
import type { ProblemInput } from '../../config/problem';
import { type Path, quoted } from '../../config/source-document';
import type { Calendar } from '../../domain/calendars/calendar';
import { newCalendar } from '../../domain/calendars/calendar-from-data';
import { checkCalendarName } from '../../domain/limits';
import type { ScheduleChange } from '../../domain/schedule-change';
import type { FileSettings, ScheduleFileReading } from './schedule-file-reading';
import { type CalendarFields, calendarSchema } from './schedule-file-schema';

/** Null for a calendar whose shape is wrong, which has been reported. */
type Calendars = ReadonlyMap<string, CalendarFields | null>;

/** The calendars of a file as changes. A base is written inline, or is the name of another calendar of the file. */
export function readCalendars(
  reading: ScheduleFileReading,
  calendars: Calendars,
  { ifExists, timeZone }: FileSettings,
): readonly ScheduleChange[] {
  const build = calendarBuilder(reading, calendars, timeZone);
  return [...calendars.keys()].flatMap((name): ScheduleChange[] => {
    const isName = reading.attempt(['calendars', name], () => checkCalendarName(name)) !== null;
    const calendar = build(name);
    if (!isName || calendar === null) return [];
    return [{ type: 'storeCalendar', name, calendar: calendar.toJSON(), ifExists, updateTriggers: true }];
  });
}

/** How far a chain is followed: longer than it may be, so that small circles are named, and far from the end of the stack. */
const MAX_CHAIN = 100;

/** Builds the calendars of one file by name, each once, however many others build upon it; null for one with a problem. */
function calendarBuilder(reading: ScheduleFileReading, calendars: Calendars, fileZone: string) {
  const built = new Map<string, Calendar | null>();
  return (name: string) => named(name, []);

  /** `above`: the names that lead to this one. */
  function named(name: string, above: readonly string[]): Calendar | null {
    const known = built.get(name);
    if (known !== undefined) return known;
    const fields = calendars.get(name) ?? null;
    const calendar = fields && fromFields(fields, ['calendars', name], [...above, name]);
    built.set(name, calendar);
    return calendar;
  }

  function fromFields({ type, base, ...own }: CalendarFields, path: Path, above: readonly string[]): Calendar | null {
    const below = base === undefined ? null : baseOf(base, [...path, 'base'], above);
    if (base !== undefined && below === null) return null;
    const { description = null, timeZone = fileZone } = own;
    return reading.attempt(path, () => newCalendar(type, { ...own, description, timeZone, base: below }));
  }

  function baseOf(base: NonNullable<CalendarFields['base']>, path: Path, above: readonly string[]): Calendar | null {
    if (typeof base !== 'string') {
      const fields = reading.check(path, calendarSchema);
      return fields && fromFields(fields, path, above);
    }
    const problem = chainProblem(base, above);
    if (problem === null) return named(base, above);
    reading.report({ path, ...problem });
    return null;
  }

  function chainProblem(base: string, above: readonly string[]): Omit<ProblemInput, 'path'> | null {
    if (above.includes(base)) {
      const circle = [...above.slice(above.indexOf(base)), base].map(quoted).join(' on ');
      return { message: `expected a calendar that ends somewhere, found ${circle}` };
    }
    if (above.length >= MAX_CHAIN)
      return { expected: 'a chain of at most 16 calendars', found: 'a longer one (a circle?)' };
    if (calendars.has(base)) return null;
    const suggestion = nearestName(base, except(calendars.keys(), above));
    return { expected: 'the name of a calendar in this file', found: quoted(base), suggestion };
  }
}

/** One after the other, because hints are not searched for among very many. */
function* except(names: Iterable<string>, excluded: readonly string[]): Iterable<string> {
  for (const name of names) if (!excluded.includes(name)) yield name;
}
