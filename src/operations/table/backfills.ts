import { z } from 'zod';
import { instant, keyFields, keyView, limitField, unreadableField } from '../fields';
import { operation } from '../operation';
import { instantOf } from '../views/plain';

export const backfillsList = operation({
  summary: 'Lists the backfills of which something is left, and what triggers catch up.',
  role: 'viewer',
  effect: 'reads',
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
        from: instant,
        to: instant,
      }),
    ),
  }),
  async run({ scheduler }, { limit }) {
    const all = await scheduler.listBackfills();
    return {
      items: all.slice(0, limit).map(({ group, triggerKey, left, from, to }) => ({
        group,
        trigger: triggerKey,
        left,
        from: instantOf(from),
        to: instantOf(to),
      })),
    };
  },
});

export const backfillsAdd = operation({
  summary: 'Runs the fire times of a trigger between two instants, each as a firing of its own.',
  role: 'operator',
  effect: 'changes',
  http: { method: 'POST', path: '/triggers/:group/:name/backfill' },
  command: { words: ['backfills', 'add'], arguments: ['name'] },
  input: z.strictObject({
    ...keyFields('trigger'),
    from: instant.describe('The first time.'),
    to: instant.describe('Times before this one. Fire times that are still to come are refused.'),
    max: z.int().min(1).max(10_000).default(1_000).describe('How many times there may be.'),
    spacing: z.string().min(1).max(40).optional().describe('How far apart they run, such as PT10S. Default: at once.'),
  }),
  output: z.object({ group: z.string().describe('For backfills.drop.'), count: z.int() }),
  async run({ scheduler }, { name, group, from, to, max, spacing }) {
    const options = { from: new Date(from), to: new Date(to), max, ...(spacing !== undefined && { spacing }) };
    const report = await scheduler.backfill({ name, group }, options);
    return { group: report.group, count: report.count };
  },
});

export const backfillsDrop = operation({
  summary: 'Deletes what is left of a backfill and has not fired.',
  role: 'operator',
  effect: 'destroys',
  http: { method: 'DELETE', path: '/backfills/:group' },
  command: { words: ['backfills', 'drop'], arguments: ['group'] },
  input: z.strictObject({ group: z.string().min(1).max(190).describe('Group of the backfill, as the list gives it.') }),
  output: z.object({ count: z.int().describe('How many triggers were deleted.') }),
  run: async ({ scheduler }, { group }) => ({ count: await scheduler.dropBackfill(group) }),
});
