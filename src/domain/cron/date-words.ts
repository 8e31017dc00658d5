import { DAY_NAMES, MONTH_NAMES } from '../time/names';
import { CRON_FIELDS } from './cron-fields';
import type { DayRule } from './day-rules';
import { enumerate, ordinal, runsOf, runWords, stepOf, valueWords } from './value-words';

const [SUNDAY = '', ...FROM_MONDAY] = DAY_NAMES;
const DAYS = [...FROM_MONDAY, SUNDAY];
const NTH = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

/** Returns the days of a rule, such as "Monday to Friday". '' for every day. */
export function ruleWords(rule: DayRule): string {
  switch (rule.kind) {
    case 'daysOfMonth':
      return rule.days.length === CRON_FIELDS.dayOfMonth.max ? '' : `on ${valueWords('day', rule.days)} of the month`;
    case 'anyOf': {
      const words = rule.rules.map(ruleWords);
      return words.includes('') ? '' : words.join(' and ');
    }
    case 'lastDay':
      return lastDayWords(rule.offset, rule.nearestWeekday);
    case 'nearestWeekday':
      return `on the weekday nearest to day ${rule.day} of the month`;
    case 'daysOfWeek':
      return dayOfWeekWords(rule.days);
    case 'nthDayOfWeek':
      return `on the ${NTH[rule.nth]} ${dayName(rule.day)} of the month`;
    case 'lastDayOfWeek':
      return `on the last ${dayName(rule.day)} of the month`;
  }
}

function lastDayWords(offset: number, nearestWeekday: boolean): string {
  if (offset === 0) return `on the last ${nearestWeekday ? 'weekday' : 'day'} of the month`;
  const day = `${offset} ${offset === 1 ? 'day' : 'days'} before the last day of the month`;
  return nearestWeekday ? `on the weekday nearest to ${day}` : day;
}

/** The week begins with Monday, so that Saturday and Sunday are neighbours. */
function dayOfWeekWords(days: readonly number[]): string {
  if (days.length === 7) return '';
  const fromMonday = days.map((day) => (day + 5) % 7).sort((a, b) => a - b);
  return namedWords('on', fromMonday, DAYS);
}

function dayName(day: number): string {
  return DAYS[(day + 5) % 7] as string;
}

/** Returns the months, such as "in March" or "January to March". '' for every month. */
export function monthWords(months: readonly number[]): string {
  const indexes = months.map((month) => month - 1);
  return months.length === 12 ? '' : namedWords('in', indexes, MONTH_NAMES);
}

function namedWords(preposition: string, indexes: readonly number[], names: readonly string[]): string {
  const words = runWords(indexes, (index) => names[index] as string);
  const isOneRun = indexes.length > 1 && runsOf(indexes).length === 1;
  return isOneRun ? words : `${preposition} ${words}`;
}

export function isEveryYear(years: readonly number[]): boolean {
  const { min, max } = CRON_FIELDS.year;
  return years.length === max - min + 1;
}

/** Returns the years, such as "in 2027", "2027 to 2030", "from 2027" or "every 2nd year from 2027". Years to the last supported one have no end. */
export function yearWords(years: readonly number[]): string {
  const { max } = CRON_FIELDS.year;
  const [first = max] = years;
  const last = years.at(-1) as number;
  const step = stepOf(years, 3);
  if (step === null)
    return `in ${enumerate(runsOf(years).map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)))}`;
  const every = step === 1 ? '' : `every ${ordinal(step)} year `;
  if (last + step > max) return `${every}from ${first}`;
  return step === 1 ? `${first} to ${last}` : `${every}from ${first} to ${last}`;
}
