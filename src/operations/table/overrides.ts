import { z } from 'zod';
import { calendarTarget, type DeclarationTarget, targetName } from '../../domain/declaration';
import { cursorOf, placeIn } from '../cursor';
import { pageFields, pageOf } from '../fields';
import { authorOf, irreversible, query } from '../operation';
import { Problem } from '../problem';
import { overrideOf, overrideView, ownerOf, ownerView } from '../views/owner-view';

const WHAT = ['job', 'trigger', 'calendar'] as const;

const overrideRow = z.object({
  what: z.enum(WHAT),
  group: z.string().nullable().describe('Null for a calendar.'),
  name: z.string(),
  owner: ownerView,
  override: overrideView,
});

export const overridesList = query({
  summary: 'Lists the overrides: declared jobs, triggers and calendars that were edited manually.',
  http: { method: 'GET', path: '/overrides' },
  command: { words: ['overrides', 'list'], columns: ['what', 'group', 'name', 'owner.kind', 'owner.set'] },
  input: z.strictObject(pageFields()),
  output: pageOf(overrideRow),
  async run({ control }, { limit, after }) {
    const place = after === undefined ? null : placeIn(after, z.tuple([z.enum(WHAT), z.string(), z.string()]));
    const behind: DeclarationTarget | null = place && { what: place[0], group: place[1], name: place[2] };
    const found = await control.pageOverrides({ after: behind, take: limit + 1 });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1)?.target : undefined;
    const items = shown.flatMap((each) => {
      const override = overrideOf(each, control.now());
      const { what, group, name } = each.target;
      return override === null
        ? []
        : [{ what, group: what === 'calendar' ? null : group, name, owner: ownerOf(each), override }];
    });
    return { items, next: last === undefined ? null : cursorOf([last.what, last.group, last.name]) };
  },
});

export const overridesDrop = irreversible('admin', {
  summary: 'Drops an override: stores the declared definition again.',
  http: { method: 'POST', path: '/overrides/drop' },
  command: { words: ['overrides', 'drop'], arguments: ['what', 'name'] },
  input: z.strictObject({
    what: z.enum(WHAT).describe('Kind: job, trigger or calendar.'),
    name: z.string().min(1).max(190).describe('Name of the job, trigger or calendar.'),
    group: z.string().min(1).max(190).default('DEFAULT').describe('Group of the job or trigger.'),
  }),
  output: z.object({ restored: z.int().describe('Number of jobs, triggers and calendars that were stored again.') }),
  async run(context, { what, group, name }) {
    const target = what === 'calendar' ? calendarTarget(name) : { what, group, name };
    const outcomes = await context.control.dropOverride(target, authorOf(context));
    if (outcomes === null)
      throw new Problem('NOT_FOUND', `Expected an override of the ${what} '${targetName(target)}', found none.`);
    return { restored: outcomes.filter(({ status }) => status === 'created' || status === 'replaced').length };
  },
});
