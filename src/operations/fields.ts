import { z } from 'zod';
import type { EpochMs } from '../base/clock';
import { DEFAULT_GROUP } from '../domain/keys';
import { LIMITS } from '../domain/limits';
import { instantOf } from './views/plain';

/* Fields that several operations share. Command options, the OpenAPI document and forms show each field's description. */

export function keyFields(what: 'job' | 'trigger') {
  return {
    name: z.string().min(1).max(LIMITS.name).describe(`Name of the ${what}.`),
    group: z.string().min(1).max(LIMITS.group).default(DEFAULT_GROUP).describe(`Group of the ${what}.`),
  };
}

/** Key for reads, which find a key without its group if the name is unique. */
export function searchedKeyFields(what: 'job' | 'trigger') {
  const { name } = keyFields(what);
  const group = z.string().min(1).max(LIMITS.group).optional();
  return { name, group: group.describe(`Group of the ${what}. Default: DEFAULT, or the only group with this name.`) };
}

export function textField(max: number, description: string) {
  return z.string().min(1).max(max).optional().describe(description);
}

export const limitField = z.int().min(1).max(1_000).default(100).describe('Maximum number of items to return.');

export function pageFields() {
  return { limit: limitField, after: textField(4_000, '`next` of the previous page.') };
}

export function searchField(where: string) {
  return textField(200, `Only items with this text in ${where}.`);
}

/** Field for the reason why part of a row could not be read. An unreadable row does not hide the rest of the list. */
export const unreadableField = {
  unreadable: z
    .string()
    .nullable()
    .default(null)
    .describe('Parts that cannot be shown, and why; empty values replace them. Null if everything is shown as stored.'),
};

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().nullable().describe('Value of `after` for the next page; null on the last page.'),
  });
}

/** Total number of matches. Counting may stop at a maximum. */
export const totalView = z
  .object({ count: z.int(), isExact: z.boolean().describe('False if there are more items than the count.') })
  .nullable()
  .describe(
    'Number of matches, given with the first page; null on later pages and if only part of the list was searched.',
  );

export const keyView = z.object({ group: z.string(), name: z.string() });

const isInstant = (text: string) => new Date(text).getTime() === Date.parse(text);

/** ISO-8601 time in UTC, with milliseconds. */
export const instant = z
  .string()
  .regex(/^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'expected a time such as 2027-01-31T08:00:00.000Z')
  .refine(isInstant, 'expected a valid date and time')
  .meta({ format: 'date-time' });

const toInstant = (time: unknown) => (typeof time === 'number' || time instanceof Date ? instantOf(time) : time);

/** `instant` in an output. Operations return times as they are stored; the schema converts them. */
export const timeView = z.preprocess(toInstant, instant) as unknown as z.ZodType<string, Date | EpochMs | string>;

/** First request to interrupt a run; null if there was none. */
export const interruptionView = z
  .object({ at: timeView, by: z.string().nullable() })
  .nullable()
  .describe('When and by whom the run was interrupted first; null if it was not.');
