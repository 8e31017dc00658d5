import type { FieldSpec } from './draft';

export const CALENDAR_TYPES = ['annual', 'monthly', 'weekly', 'holiday', 'daily', 'cron', 'base'] as const;
export type CalendarType = (typeof CALENDAR_TYPES)[number];

export const TYPE_WORDS: Readonly<Record<CalendarType, string>> = {
  annual: 'Days of every year',
  monthly: 'Days of every month',
  weekly: 'Days of the week',
  holiday: 'Dates',
  daily: 'Hours of every day',
  cron: 'Seconds of a cron expression',
  base: 'Nothing by itself',
};

/** What each type excludes. */
export const EXCLUSIONS: Readonly<Record<CalendarType, readonly FieldSpec[]>> = {
  annual: [{ name: 'excludedDays', kind: 'list', isRequired: true, hint: 'Such as 12-25, 12-26, 01-01.' }],
  monthly: [{ name: 'excludedDays', kind: 'list', isRequired: true, hint: 'From 1 to 31, such as 1, 15.' }],
  weekly: [{ name: 'excludedDays', kind: 'list', hint: 'Such as SAT, SUN, which is also what empty means.' }],
  holiday: [{ name: 'excludedDates', kind: 'list', isRequired: true, hint: 'Such as 2027-01-01, 2027-05-17.' }],
  daily: [
    { name: 'from', kind: 'text', isRequired: true, hint: 'From this time of day on, such as 18:00 …' },
    { name: 'to', kind: 'text', isRequired: true, hint: '… to this one it is excluded, such as 23:00.' },
    { name: 'invert', kind: 'flag', hint: 'Everything else is excluded.' },
  ],
  cron: [
    {
      name: 'cronExpression',
      kind: 'text',
      isRequired: true,
      hint: 'The seconds that are excluded, such as * * 0-7 * * ?',
    },
  ],
  base: [],
};

export const COMMON_CALENDAR_FIELDS: readonly FieldSpec[] = [
  { name: 'description', kind: 'text', hint: 'Shown in lists.' },
  { name: 'timeZone', kind: 'text', hint: "IANA zone of its days. Empty: the scheduler's." },
  {
    name: 'base',
    kind: 'form',
    hint: 'Name of a calendar whose exclusions hold too (it is copied), or a calendar as JSON.',
  },
];
