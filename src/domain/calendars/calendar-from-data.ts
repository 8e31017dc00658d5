import { isRecord } from '../../base/is-record';
import { isNameIn } from '../check-text';
import { DEFAULT_RULES, type Rules } from '../rules';
import { AnnualCalendar } from './annual-calendar';
import { BaseCalendar } from './base-calendar';
import type { Calendar, CalendarData } from './calendar';
import type { CalendarOptions } from './chained-calendar';
import { CronCalendar } from './cron-calendar';
import { DailyCalendar } from './daily-calendar';
import { HolidayCalendar } from './holiday-calendar';
import { describeField, expectField, InvalidCalendarError } from './invalid-calendar-error';
import { MonthlyCalendar } from './monthly-calendar';
import { WeeklyCalendar } from './weekly-calendar';

type CalendarType = CalendarData['type'];

/** Class and specific fields of each calendar type. The common fields are in `COMMON_FIELDS`. */
const KINDS: Readonly<
  Record<CalendarType, { readonly Kind: new (options: never) => Calendar; readonly fields: readonly string[] }>
> = {
  annual: { Kind: AnnualCalendar, fields: ['excludedDays'] },
  base: { Kind: BaseCalendar, fields: [] },
  cron: { Kind: CronCalendar, fields: ['cronExpression'] },
  daily: { Kind: DailyCalendar, fields: ['from', 'to', 'invert'] },
  holiday: { Kind: HolidayCalendar, fields: ['excludedDates'] },
  monthly: { Kind: MonthlyCalendar, fields: ['excludedDays'] },
  weekly: { Kind: WeeklyCalendar, fields: ['excludedDays'] },
};

const COMMON_FIELDS = ['type', 'description', 'timeZone', 'base'];

/** Maximum nesting depth that is parsed. Greater than the maximum number of calendars in a chain, so that a longer chain gets its own error. */
const DEEPEST = 100;

/** Creates a calendar from its JSON form. Throws INVALID_CALENDAR; the message states the field, the expected value and the value found. */
export function calendarFrom(data: CalendarData | unknown, rules: Rules = DEFAULT_RULES): Calendar {
  return read(data, rules, 0);
}

function read(data: unknown, rules: Rules, depth: number): Calendar {
  expectField(isRecord(data), data, [], 'an object with a type');
  if (depth >= DEEPEST)
    throw new InvalidCalendarError({ path: [], expected: `at most ${DEEPEST} nested calendars`, found: 'more' });
  const { type } = data;
  expectField(isNameIn(KINDS, type), type, ['type'], `one of ${Object.keys(KINDS).join(', ')}`);
  const known = [...COMMON_FIELDS, ...KINDS[type].fields];
  const expected = `a known field (a ${type} calendar has ${known.join(', ')})`;
  const unknown = Object.keys(data).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new InvalidCalendarError({ path: [unknown], expected, found: describeField(unknown) });
  // A stored cron expression may come from Quartz, whose parser accepts more than the strict parser.
  return newCalendar(type, { ...data, base: readBase(data.base, rules, depth), lenient: true, rules });
}

function readBase(base: unknown, rules: Rules, depth: number): Calendar | null {
  if (base === null || base === undefined) return null;
  try {
    return read(base, rules, depth + 1);
  } catch (error) {
    throw error instanceof InvalidCalendarError ? error.within('base') : error;
  }
}

/** Creates a calendar of the given type. The constructor of the type validates every field. Throws INVALID_CALENDAR. */
export function newCalendar(
  type: CalendarType,
  {
    type: _,
    lenient,
    rules,
    ...fields
  }: CalendarOptions & { readonly type?: unknown; readonly lenient?: boolean; readonly rules?: Rules },
): Calendar {
  const isLenient = type === 'cron' && lenient;
  const hasRules = (type === 'cron' || type === 'daily') && rules !== undefined;
  return new KINDS[type].Kind({ ...fields, ...(isLenient && { lenient }), ...(hasRules && { rules }) } as never);
}
