import { CRON_FIELDS, type CronField, type CronFields } from './cron-fields';
import type { DayRule } from './day-rules';

/** Formats the fields of a parsed expression as Quartz text, in the order of the expression. */
export function formatFields(fields: CronFields): string[] {
  const { dayOfMonth, dayOfWeek } = formatDays(fields.days);
  return [
    formatValues(fields.seconds, CRON_FIELDS.second),
    formatValues(fields.minutes, CRON_FIELDS.minute),
    formatValues(fields.hours, CRON_FIELDS.hour),
    dayOfMonth,
    formatValues(fields.months, CRON_FIELDS.month),
    dayOfWeek,
    formatValues(fields.years, CRON_FIELDS.year),
  ];
}

/** Formats a day rule as the two day fields, one of which is `?`. */
export function formatDays(rule: DayRule): { readonly dayOfMonth: string; readonly dayOfWeek: string } {
  switch (rule.kind) {
    case 'daysOfMonth':
      return { dayOfMonth: formatValues(rule.days, CRON_FIELDS.dayOfMonth), dayOfWeek: '?' };
    case 'anyOf':
      return { dayOfMonth: rule.rules.map((each) => formatDays(each).dayOfMonth).join(','), dayOfWeek: '?' };
    case 'lastDay': {
      const offset = rule.offset === 0 ? '' : `-${rule.offset}`;
      return { dayOfMonth: `L${offset}${rule.nearestWeekday ? 'W' : ''}`, dayOfWeek: '?' };
    }
    case 'nearestWeekday':
      return { dayOfMonth: `${rule.day}W`, dayOfWeek: '?' };
    case 'daysOfWeek':
      return { dayOfMonth: '?', dayOfWeek: formatValues(rule.days, CRON_FIELDS.dayOfWeek) };
    case 'nthDayOfWeek':
      return { dayOfMonth: '?', dayOfWeek: `${dayName(rule.day)}#${rule.nth}` };
    case 'lastDayOfWeek':
      return { dayOfMonth: '?', dayOfWeek: `${dayName(rule.day)}L` };
  }
}

/** Formats ascending values as the shortest usual text: `*`, `0/5`, `8-18/2`, `1-5,7`. Days of the week become names. '' for an empty list. */
export function formatValues(values: readonly number[], field: CronField): string {
  const first = values[0];
  const second = values[1];
  const last = values.at(-1);
  if (first === undefined || last === undefined) return '';
  if (values.length === field.max - field.min + 1) return '*';

  const step = second === undefined ? 0 : second - first;
  const isStepped = values.length > 2 && step > 1 && values.every((value, index) => value === first + index * step);
  if (isStepped && field.name !== 'day-of-week') {
    return last + step > field.max ? `${first}/${step}` : `${first}-${last}/${step}`;
  }
  const nameOf = field.name === 'day-of-week' ? dayName : String;
  return runsOf(values)
    .map(([from, to]) => (from === to ? nameOf(from) : `${nameOf(from)}${to === from + 1 ? ',' : '-'}${nameOf(to)}`))
    .join(',');
}

function runsOf(values: readonly number[]): (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === value - 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs;
}

function dayName(day: number): string {
  return CRON_FIELDS.dayOfWeek.names[day - 1] ?? String(day);
}
