import { z } from 'zod';
import { instant, keyFields, keyView, limitField, textField, timeView, unreadableField } from '../fields';
import { action, irreversible, query } from '../operation';

export const backfillsList = query({
  summary: 'Lists the unfinished backfills and catch-ups.',
  http: { method: 'GET', path: '/backfills' },
  command: { words: ['backfills', 'list'] },
  input: z.strictObject({ limit: limitField }),
  output: z.object({
    items: z.array(
      z.object({
        ...unreadableField,
        group: z.string(),
        trigger: keyView,
        left: z.int(),
        from: timeView,
        to: timeView,
      }),
    ),
  }),
  async run({ scheduler }, { limit }) {
    const all = await scheduler.listBackfills();
    return { items: all.slice(0, limit).map(({ triggerKey, ...rest }) => ({ ...rest, trigger: triggerKey })) };
  },
});

export const backfillsAdd = action('operator', {
  summary: 'Runs the fire times of a trigger in a time range, each as its own firing.',
  http: { method: 'POST', path: '/triggers/:group/:name/backfill' },
  command: { words: ['backfills', 'add'], arguments: ['name'] },
  input: z.strictObject({
    ...keyFields('trigger'),
    from: instant.describe('Start of the time range.'),
    to: instant.describe('End of the time range, exclusive. Future fire times are rejected.'),
    max: z.int().min(1).max(10_000).default(1_000).describe('Maximum number of fire times; more are rejected.'),
    spacing: textField(40, 'Interval between their runs, such as PT10S. Default: none.'),
  }),
  output: z.object({ group: z.string().describe('Name for backfills.drop.'), count: z.int() }),
  async run({ scheduler }, { name, group, from, to, max, spacing }) {
    const options = { from: new Date(from), to: new Date(to), max, ...(spacing !== undefined && { spacing }) };
    return scheduler.backfill({ name, group }, options);
  },
});

export const backfillsDrop = irreversible('operator', {
  summary: 'Deletes the fire times of a backfill that have not fired yet.',
  http: { method: 'DELETE', path: '/backfills/:group' },
  command: { words: ['backfills', 'drop'], arguments: ['group'] },
  input: z.strictObject({ group: z.string().min(1).max(190).describe('Group of the backfill, as in the list.') }),
  output: z.object({ count: z.int().describe('Number of deleted triggers.') }),
  run: async ({ scheduler }, { group }) => ({ count: await scheduler.dropBackfill(group) }),
});
