import { nearestName } from '../../config/nearest-name';
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
  settings: FileSettings,
): readonly ScheduleChange[] {
  const builder = new CalendarBuilder(reading, calendars, settings.timeZone);
  return [...calendars.keys()].flatMap((name): ScheduleChange[] => {
    const isName = reading.attempt(['calendars', name], () => checkCalendarName(name)) !== null;
    const calendar = builder.named(name, []);
    if (!isName || calendar === null) return [];
    const { ifExists } = settings;
    return [{ type: 'storeCalendar', name, calendar: calendar.toJSON(), ifExists, updateTriggers: true }];
  });
}

/** How far a chain is followed: longer than it may be, so that small circles are named, and far from the end of the stack. */
const MAX_CHAIN = 100;

/** Builds the calendars of one file, each once, however many others build upon it. */
class CalendarBuilder {
  readonly #reading: ScheduleFileReading;
  readonly #calendars: Calendars;
  readonly #timeZone: string;
  readonly #built = new Map<string, Calendar | null>();

  constructor(reading: ScheduleFileReading, calendars: Calendars, timeZone: string) {
    this.#reading = reading;
    this.#calendars = calendars;
    this.#timeZone = timeZone;
  }

  /** A calendar of the file; null when it, or one below it, has a problem. `above`: the names that lead to it. */
  named(name: string, above: readonly string[]): Calendar | null {
    const known = this.#built.get(name);
    if (known !== undefined) return known;
    const fields = this.#calendars.get(name) ?? null;
    const calendar = fields && this.#build(fields, ['calendars', name], [...above, name]);
    this.#built.set(name, calendar);
    return calendar;
  }

  #build(fields: CalendarFields, path: Path, above: readonly string[]): Calendar | null {
    const { type, base, ...own } = fields;
    const below = base === undefined ? null : this.#base(base, [...path, 'base'], above);
    if (base !== undefined && below === null) return null;
    const { description = null, timeZone = this.#timeZone } = own;
    return this.#reading.attempt(path, () => newCalendar(type, { ...own, description, timeZone, base: below }));
  }

  #base(base: NonNullable<CalendarFields['base']>, path: Path, above: readonly string[]): Calendar | null {
    if (typeof base === 'string') return this.#namedBase(base, path, above);
    const fields = this.#reading.check(path, calendarSchema);
    return fields && this.#build(fields, path, above);
  }

  #namedBase(base: string, path: Path, above: readonly string[]): Calendar | null {
    if (above.includes(base)) {
      const circle = [...above.slice(above.indexOf(base)), base].map(quoted).join(' on ');
      this.#reading.report({ path, message: `expected a calendar that ends somewhere, found ${circle}` });
      return null;
    }
    if (above.length >= MAX_CHAIN) {
      const expected = 'a chain of at most 16 calendars';
      this.#reading.report({ path, expected, found: 'a longer one (a circle?)' });
      return null;
    }
    if (this.#calendars.has(base)) return this.named(base, above);
    const suggestion = nearestName(base, this.#except(above));
    this.#reading.report({ path, expected: 'the name of a calendar in this file', found: quoted(base), suggestion });
    return null;
  }
  /** One after the other, because hints are not looked for among very many. */
  *#except(names: readonly string[]): Iterable<string> {
    for (const name of this.#calendars.keys()) if (!names.includes(name)) yield name;
  }
}
