import { z } from 'zod';
import type { ActionRecord } from '../../domain/action';
import { cursorOf, placeIn } from '../cursor';
import { instant, pageFields, pageOf, unreadableField } from '../fields';
import { operation } from '../operation';
import { instantAt } from '../views/plain';

const actionRow = z.object({
  ...unreadableField,
  id: z.string(),
  at: instant,
  actor: z.string().describe('Who did it: a login, the name of a token, or a user of the operating system.'),
  role: z.string(),
  via: z.string().describe('Through which face: `command`, `http` or `console`.'),
  address: z.string().nullable().describe('Where it came from; null: the machine of the scheduler.'),
  operation: z.string(),
  subject: z.string().describe('What it was done to; empty: the scheduler.'),
  input: z.json().describe('What was asked for. Values of secret names are not kept, and long texts are cut.'),
  changes: z
    .json()
    .describe('What it changed: the fields of an edit with their values before and after, or how many and which.'),
  error: z.string().nullable().describe('Why it was not done; null: it was.'),
});

/** Of the last item of a page. */
const place = z.tuple([z.int(), z.string().max(40)]);

export const actionsList = operation({
  summary: 'Lists what people did from outside the program, the newest first: who, when, from where, to what.',
  // Names, addresses and inputs of everybody.
  role: 'admin',
  effect: 'reads',
  http: { method: 'GET', path: '/actions' },
  command: {
    words: ['actions', 'list'],
    columns: ['at', 'actor', 'operation', 'subject', 'via', 'address', 'error'],
  },
  input: z.strictObject({
    actor: z.string().min(1).max(190).optional().describe('Only what was done by whoever has this name.'),
    operation: z.string().min(1).max(80).optional().describe('Only this operation: `jobs.delete`.'),
    since: instant.optional().describe('Only what was done at or after this time.'),
    search: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Only those with this text in what it was done to, in the input or in the error. Where few match, a page may be short, and `next` ' +
          'says where to look on.',
      ),
    ...pageFields(),
  }),
  output: pageOf(actionRow),
  async run({ control }, { actor, operation: name, since, search, limit, after }) {
    const [time, id] = after === undefined ? [] : placeIn(after, place);
    const { items, next } = await control.listActions({
      ...(actor !== undefined && { actor }),
      ...(name !== undefined && { operation: name }),
      ...(since !== undefined && { since: Date.parse(since) }),
      ...(search !== undefined && { search }),
      ...(time !== undefined && id !== undefined && { after: { time, id } }),
      take: limit,
    });
    return { items: items.map(actionRowOf), next: next && cursorOf([next.time, next.id]) };
  },
});

function actionRowOf({ time, input, changes, ...action }: ActionRecord): z.input<typeof actionRow> {
  return {
    ...action,
    at: instantAt(time),
    input: jsonOf(input),
    changes: changes && jsonOf(changes),
  };
}

/** What is no JSON as the text that it is. */
function jsonOf(text: string): z.input<typeof actionRow>['input'] {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
