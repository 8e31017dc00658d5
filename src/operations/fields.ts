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

/** An instant: ISO-8601, in UTC, with milliseconds. */
export const instant = z.iso.datetime({ precision: 3 });
