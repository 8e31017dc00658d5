import { z } from 'zod';
import { SchedulerError } from '../../base/errors';
import { readCalendar } from '../../definitions/read-entries';
import { calendarEntryOf } from '../../definitions/write-entries';
import type { CalendarData } from '../../domain/calendars/calendar';
import { calendarFrom } from '../../domain/calendars/calendar-from-data';
import { calendarTarget } from '../../domain/declaration';
import { calendarVersion } from '../../domain/definition-version';
import type { ChangeSet } from '../../domain/schedule-change';
import { cursorOf, placeIn } from '../cursor';
import { ifVersion } from '../definition-fields';
import { editing, entryOf, removeStored, requireRead } from '../edit-definition';
import { keyView, pageFields, pageOf, textField, totalView, unreadableField } from '../fields';
import { findCalendar } from '../find-stored';
import { action, authorOf, irreversible, type OperationContext, query } from '../operation';
import { defaultsOf, reading } from '../read-definition';
import { fieldChanges } from '../recorded-changes';
import { excludedDays } from '../views/calendar-year';
import { ownershipFields, ownershipMark, ownershipMarks, ownershipOf } from '../views/owner-view';

const nameField = { name: z.string().min(1).max(190).describe('Name of the calendar.') };

const CALENDAR_TYPES = ['base', 'annual', 'monthly', 'weekly', 'holiday', 'cron', 'daily'] as const;

const calendarFields = {
  type: z.enum(CALENDAR_TYPES).describe('Type of the calendar, which determines its other fields.'),
  description: textField(250, 'Description for human readers.'),
  timeZone: textField(80, "IANA time zone of the calendar. Default: the scheduler's."),
  base: z
    .unknown()
    .optional()
    .describe('Another calendar whose exclusions also apply: a definition, or the name of a stored calendar.'),
  excludedDays: z
    .array(z.unknown())
    .optional()
    .describe('Excluded days. annual: such as 12-25; monthly: 1 to 31; weekly: such as SAT.'),
  excludedDates: z.array(z.string()).optional().describe('holiday: excluded dates, such as 2027-01-01.'),
  cronExpression: textField(1_000, 'cron: expression of the excluded seconds.'),
  from: textField(20, 'daily: start of the excluded time of day.'),
  to: textField(20, 'daily: end of the excluded time of day.'),
  invert: z.boolean().optional().describe('daily: excludes everything except this time of day.'),
};

const calendarRow = z.object({
  ...unreadableField,
  name: z.string(),
  type: z.enum(CALENDAR_TYPES).nullable().describe('Null if this node cannot read the calendar.'),
  description: z.string().nullable(),
  timeZone: z.string().nullable(),
});

export const calendarsList = query({
  summary: 'Lists the calendars, sorted by name.',
  http: { method: 'GET', path: '/calendars' },
  command: { words: ['calendars', 'list'] },
  input: z.strictObject(pageFields()),
  output: pageOf(calendarRow.extend(ownershipMark)),
  async run(context, { limit, after }) {
    const [behind] = after === undefined ? [''] : placeIn(after, z.tuple([z.string()]));
    const { items, next } = await context.control.pageCalendars({ after: behind, take: limit });
    const targets = items.map(({ name }) => calendarTarget(name));
    const markOf = await ownershipMarks(context, targets);
    const rows = items.map(({ name, data }) => ({ ...rowOf(name, data), ...markOf(calendarTarget(name)) }));
    return { items: rows, next: next && cursorOf([next]) };
  },
});

function rowOf(name: string, data: CalendarData | null): z.input<typeof calendarRow> {
  const { type = null, description = null, timeZone = null } = data ?? {};
  return { name, type, description, timeZone };
}

const USERS_SHOWN = 20;

export const calendarsShow = query({
  summary: 'Shows a calendar in the form of a schedule file, and the triggers that use it.',
  http: { method: 'GET', path: '/calendars/:name' },
  command: { words: ['calendars', 'show'], arguments: ['name'] },
  input: z.strictObject(nameField),
  output: calendarRow.extend({
    definition: z
      .record(z.string(), z.unknown())
      .describe(
        'Definition in the form of a schedule file, with days of the year as [month, day] and days of the week from 1 (Sunday) to 7.',
      ),
    version: z.string().describe('Version of the definition, for `ifVersion` of an edit.'),
    triggers: z.array(keyView).describe(`The first ${USERS_SHOWN} triggers that use the calendar.`),
    triggerTotal: totalView,
    ...ownershipFields,
  }),
  async run(context, { name }) {
    const calendar = await findCalendar(context, name);
    const data = calendar.toJSON();
    const users = await context.control.pageTriggers({ calendarName: name, sort: 'key', take: USERS_SHOWN });
    return {
      ...rowOf(name, data),
      definition: calendarEntryOf(data),
      version: calendarVersion(data, await context.control.versionKey()),
      triggers: users.items.map(({ trigger }) => trigger.key),
      triggerTotal: users.total,
      ...(await ownershipOf(context, calendarTarget(name))),
    };
  },
});

type GivenCalendar = z.output<z.ZodObject<typeof nameField & typeof calendarFields>>;

/** Builds the calendar to store, from a copy of the calendar `base` if given. Throws INVALID_INPUT, or CALENDAR_NOT_FOUND for a missing base. */
async function written(context: OperationContext, { name, base, ...fields }: GivenCalendar): Promise<CalendarData> {
  const below = typeof base === 'string' ? calendarEntryOf((await findCalendar(context, base)).toJSON()) : base;
  const entry = entryOf({ ...fields, base: below });
  return reading(() => readCalendar(name, entry, defaultsOf(context))).calendar;
}

export const calendarsAdd = action('admin', {
  summary: 'Stores a new calendar.',
  http: { method: 'POST', path: '/calendars' },
  command: { words: ['calendars', 'add'], arguments: ['name'] },
  input: z.strictObject({ ...nameField, ...calendarFields }),
  output: z.object({ version: z.string() }),
  async run(context, input) {
    const calendar = await written(context, input);
    const { name } = input;
    await context.control.apply(
      [{ type: 'storeCalendar', name, calendar, ifExists: 'fail', updateTriggers: false }],
      authorOf(context),
    );
    return {
      version: calendarVersion((await findCalendar(context, name)).toJSON(), await context.control.versionKey()),
    };
  },
});

export const calendarsEdit = action('admin', {
  summary: 'Replaces a stored calendar, and recalculates the next fire times of its triggers.',
  http: { method: 'PUT', path: '/calendars/:name' },
  command: { words: ['calendars', 'edit'], arguments: ['name'] },
  input: z.strictObject({
    ...nameField,
    ...calendarFields,
    replace: z
      .boolean()
      .optional()
      .describe(
        'Also replace a calendar that this node cannot read, such as one of a Java class that Quartz does not have.',
      ),
    allowEnding: z
      .boolean()
      .optional()
      .describe(
        'Also store the calendar if triggers that use it would never fire again. They are kept, and fire again when it changes.',
      ),
    ifVersion,
  }),
  output: z.object({ status: z.enum(['replaced', 'unchanged']), version: z.string() }),
  run: (context, { ifVersion: givenVersion, replace = false, allowEnding = false, ...input }) =>
    editing(givenVersion, async () => {
      const { name } = input;
      const stored = await editedCalendar(context, name, replace);
      const versionKey = await context.control.versionKey();
      const version = stored === null ? givenVersion : calendarVersion(stored, versionKey);
      if (version !== undefined) requireRead(`calendar '${name}'`, version, givenVersion);
      const calendar = await written(context, input);
      const expected: ChangeSet =
        version === undefined ? [] : [{ type: 'expect', what: 'calendar', name, version, versionKey }];
      const outcomes = await context.control.apply(
        [
          ...expected,
          { type: 'storeCalendar', name, calendar, ifExists: 'replace', updateTriggers: true, allowEnding },
        ],
        authorOf(context),
      );
      const before = stored === null ? {} : calendarEntryOf(stored);
      context.note({ changes: { fields: fieldChanges(before, calendarEntryOf(calendar)) } });
      const status = outcomes.at(-1)?.status === 'replaced' ? ('replaced' as const) : ('unchanged' as const);
      return { status, version: calendarVersion((await findCalendar(context, name)).toJSON(), versionKey) };
    }),
});

/** Returns the stored calendar, or null if it is unreadable here and `replace` is true. Rejects with CALENDAR_NOT_FOUND or INVALID_CALENDAR. */
async function editedCalendar(context: OperationContext, name: string, replace: boolean): Promise<CalendarData | null> {
  try {
    return (await findCalendar(context, name)).toJSON();
  } catch (error) {
    if (replace && error instanceof SchedulerError && error.code === 'INVALID_CALENDAR') return null;
    throw error;
  }
}

export const calendarsRemove = irreversible('admin', {
  summary: 'Deletes a calendar that no trigger uses.',
  http: { method: 'DELETE', path: '/calendars/:name' },
  command: { words: ['calendars', 'remove'], arguments: ['name'] },
  input: z.strictObject({ ...nameField, ifVersion }),
  output: z.object({}),
  async run(context, { name, ifVersion: version }) {
    await removeStored(context, { type: 'deleteCalendar', name }, { what: 'calendar', name, version });
    return {};
  },
});

export const calendarsYear = query({
  summary: 'Shows which days of a year a calendar excludes fully or partly, in its own time zone.',
  http: { method: 'GET', path: '/calendars/:name/years/:year' },
  command: { words: ['calendars', 'year'], arguments: ['name', 'year'] },
  input: z.strictObject({ ...nameField, year: z.int().min(1970).max(2129).describe('Calendar year.') }),
  output: z.object({
    timeZone: z.string(),
    whole: z.array(z.iso.date()).describe('Days that are excluded fully.'),
    part: z.array(z.iso.date()).describe('Days that are excluded partly.'),
  }),
  async run(context, { name, year }) {
    const calendar = await findCalendar(context, name);
    return excludedDays(calendarFrom(calendar.toJSON(), context.control.rules), year, context.control.rules);
  },
});
