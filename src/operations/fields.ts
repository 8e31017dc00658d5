import { z } from 'zod';
import { DEFAULT_GROUP } from '../domain/keys';
import { LIMITS } from '../domain/limits';

/*
 * The fields that several operations have in common. Every field has a description: it is the help of an option, the text of the OpenAPI
 * document and the hint of a form.
 */

/** Name and group of a job or trigger. */
export function keyFields(what: 'job' | 'trigger') {
  return {
    name: z.string().min(1).max(LIMITS.name).describe(`Name of the ${what}.`),
    group: z.string().min(1).max(LIMITS.group).default(DEFAULT_GROUP).describe(`Group of the ${what}.`),
  };
}

/** How long a list may be. */
export const limitField = z.int().min(1).max(1_000).default(100).describe('How many to return at most.');

/** A page of a list that is read on by key: the same in every list. */
export function pageFields() {
  return {
    limit: limitField,
    after: z.string().min(1).max(4_000).optional().describe('`next` of the page before.'),
  };
}

/** A text to look for in keys. */
export function searchField(where: string) {
  return z.string().min(1).max(200).optional().describe(`Only those with this text in ${where}.`);
}

/** Of a row in a list: a strange one says why it cannot be shown as it is stored, and does not hide the others. */
export const unreadableField = {
  unreadable: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'What of it cannot be shown, and why: empty values are in its place; null: all of it is as it is stored.',
    ),
};

/** What a list answers with. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().nullable().describe('For `after`, to get the next page; null: there is none.'),
  });
}

/** How many match, in a list that is not counted to its end. */
export const totalView = z
  .object({ count: z.int(), isExact: z.boolean().describe('False: there are more than were counted.') })
  .nullable()
  .describe('How many match, of the first page; null: of a later one, or of a list that was searched in part.');

export const keyView = z.object({ group: z.string(), name: z.string() });

/** Whether it is an instant that a `Date` can hold: the years before 0 and after 9999 have a sign and six digits. */
const isInstant = (text: string) => new Date(text).getTime() === Date.parse(text);

/** An instant: ISO-8601, in UTC, with milliseconds. */
export const instant = z
  .string()
  .regex(
    /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    'expected an instant such as 2027-01-31T08:00:00.000Z',
  )
  .refine(isInstant, 'expected an instant that there is')
  .meta({ format: 'date-time' });
