import { isNameIn } from '../check-text';
import { AnnualCalendar } from './annual-calendar';
import { BaseCalendar } from './base-calendar';
import type { Calendar, CalendarData } from './calendar';
import type { CalendarOptions } from './chained-calendar';
import { CronCalendar, type CronCalendarOptions } from './cron-calendar';
import { DailyCalendar, type DailyCalendarOptions } from './daily-calendar';
import { HolidayCalendar } from './holiday-calendar';
import { expectField, InvalidCalendarError } from './invalid-calendar-error';
import { MonthlyCalendar } from './monthly-calendar';
import { WeeklyCalendar } from './weekly-calendar';

type CalendarType = CalendarData['type'];

/** The fields of each kind besides those all have. */
const CALENDAR_FIELDS: Readonly<Record<CalendarType, readonly string[]>> = {
  annual: ['excludedDays'],
  base: [],
  cron: ['cronExpression'],
  daily: ['from', 'to', 'invert'],
  holiday: ['excludedDates'],
  monthly: ['excludedDays'],
  weekly: ['excludedDays'],
};

const COMMON_FIELDS = ['type', 'description', 'timeZone', 'base'];

/** More than a chain may have, so that a chain too long is reported as that. */
const DEEPEST = 100;

/** Reads a calendar's JSON form. Throws INVALID_CALENDAR: which field, what was expected, what was found. */
export function calendarFrom(data: CalendarData | unknown): Calendar {
  return read(data, 0);
}

function read(data: unknown, depth: number): Calendar {
  expectField(isObject(data) && depth < DEEPEST, data, [], 'a calendar: an object with a type');
  const { type } = data;
  expectField(isCalendarType(type), type, ['type'], `one of ${Object.keys(CALENDAR_FIELDS).join(', ')}`);
  const known = [...COMMON_FIELDS, ...CALENDAR_FIELDS[type]];
  for (const field of Object.keys(data)) {
    expectField(
      known.includes(field),
      data[field],
      [field],
      `no such field (a ${type} calendar has ${known.join(', ')})`,
    );
  }
  const fields = { ...data, base: readBase(data.base, depth) };
  // What is stored may come from Quartz, whose cron expressions may be stranger than ours.
  return newCalendar(type, type === 'cron' ? { ...fields, lenient: true } : fields);
}

function readBase(base: unknown, depth: number): Calendar | null {
  if (base === null || base === undefined) return null;
  try {
    return read(base, depth + 1);
  } catch (error) {
    throw error instanceof InvalidCalendarError ? error.within('base') : error;
  }
}

/** A calendar of that type. The constructors check every field, so what was read may be handed over as it is. Throws INVALID_CALENDAR. */
export function newCalendar(type: CalendarType, fields: CalendarOptions & { readonly lenient?: boolean }): Calendar {
  switch (type) {
    case 'annual':
      return new AnnualCalendar(fields);
    case 'base':
      return new BaseCalendar(fields);
    case 'cron':
      return new CronCalendar(fields as CronCalendarOptions);
    case 'daily':
      return new DailyCalendar(fields as DailyCalendarOptions);
    case 'holiday':
      return new HolidayCalendar(fields);
    case 'monthly':
      return new MonthlyCalendar(fields);
    case 'weekly':
      return new WeeklyCalendar(fields);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCalendarType(value: unknown): value is CalendarType {
  return isNameIn(CALENDAR_FIELDS, value);
}
