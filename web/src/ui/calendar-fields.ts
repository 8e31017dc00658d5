import type { FieldSpec } from './form-values';

export const CALENDAR_TYPES = ['annual', 'monthly', 'weekly', 'holiday', 'daily', 'cron', 'base'] as const;
export type CalendarType = (typeof CALENDAR_TYPES)[number];

export const TYPE_LABELS: Readonly<Record<CalendarType, string>> = {
  annual: 'Days of year',
  monthly: 'Days of month',
  weekly: 'Days of week',
  holiday: 'Dates',
  daily: 'Daily hours',
  cron: 'Cron times',
  base: 'Nothing',
};

export const EXCLUSIONS: Readonly<Record<CalendarType, readonly FieldSpec[]>> = {
  annual: [
    { name: 'excludedDays', kind: 'list', isRequired: true, hint: 'Months and days. Example: 12-25, 12-26, 01-01' },
  ],
  monthly: [{ name: 'excludedDays', kind: 'list', isRequired: true, hint: 'Days from 1 to 31. Example: 1, 15' }],
  weekly: [{ name: 'excludedDays', kind: 'list', hint: 'Days of the week. Default: SAT, SUN.' }],
  holiday: [{ name: 'excludedDates', kind: 'list', isRequired: true, hint: 'Dates. Example: 2027-01-01, 2027-05-17' }],
  daily: [
    { name: 'from', kind: 'text', isRequired: true, hint: 'Start of the excluded hours. Example: 18:00' },
    { name: 'to', kind: 'text', isRequired: true, hint: 'End of the excluded hours. Example: 23:00' },
    { name: 'invert', kind: 'flag', hint: 'Exclude all hours outside this range instead.' },
  ],
  cron: [
    {
      name: 'cronExpression',
      kind: 'text',
      isRequired: true,
      hint: 'Seconds to exclude. Example: * * 0-7 * * ?',
    },
  ],
  base: [],
};

export const COMMON_CALENDAR_FIELDS: readonly FieldSpec[] = [
  { name: 'description', kind: 'text', hint: 'Description, shown in lists.' },
  { name: 'timeZone', kind: 'text', hint: "IANA time zone of the excluded times. Default: the scheduler's." },
  {
    name: 'base',
    kind: 'form',
    hint: 'Calendar whose exclusions also apply: the name of a calendar, which is copied when you save, or a calendar as JSON.',
  },
];

/** Field of an edit that may leave triggers without a fire time. The server refuses such an edit without it, and names the triggers. */
export const ALLOW_ENDING: FieldSpec = {
  name: 'allowEnding',
  kind: 'flag',
  hint: 'Also save if triggers that use the calendar would never fire again.',
};
