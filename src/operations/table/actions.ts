import { z } from 'zod';
import { given } from '../../base/given';
import { readJsonOrText } from '../../base/read-json';
import type { ActionRecord } from '../../domain/action';
import type { JsonValue } from '../../domain/job-data';
import { cursorOf, placeIn } from '../cursor';
import { instant, pageFields, pageOf, textField, timeView, unreadableField } from '../fields';
import { operation, type Shown } from '../operation';

const json = (): z.ZodType<JsonValue> => z.json();

const actionRow = z.object({
  ...unreadableField,
  id: z.string(),
  at: timeView,
  actor: z.string().describe('Author: a login, the name of a token, or a user of the operating system.'),
  role: z.string(),
  via: z.string().describe('Interface: `command`, `http` or `console`.'),
  address: z.string().nullable().describe("IP address of the client; null for the scheduler's own machine."),
  operation: z.string(),
  target: z.string().describe('Job, trigger or other item that was changed; empty for the scheduler itself.'),
  input: json().describe('Input of the operation. Secrets are left out, and long texts are shortened.'),
  changes: json().describe(
    'Changes of the action: edited fields with their values before and after, or the number of changed items and their keys.',
  ),
  error: z.string().nullable().describe('Error if the operation failed; null if it succeeded.'),
});

/** Position of a page's last item: its time and id. */
const place = z.tuple([z.int(), z.string().max(40)]);

export const actionsList = operation({
  summary: 'Lists the action log, newest first: who changed what, when and from where.',
  // The log contains names, addresses and inputs of all users.
  role: 'admin',
  effect: 'reads',
  http: { method: 'GET', path: '/actions' },
  command: {
    words: ['actions', 'list'],
    columns: ['at', 'actor', 'operation', 'target', 'via', 'address', 'error'],
  },
  input: z.strictObject({
    actor: textField(190, 'Only actions of this author.'),
    operation: textField(80, 'Only this operation, such as `jobs.delete`.'),
    since: instant.optional().describe('Only actions at or after this time.'),
    search: textField(
      200,
      'Only actions with this text in the target, the input or the error. If few match, a page may be short; `next` continues the search.',
    ),
    ...pageFields(),
  }),
  output: pageOf(actionRow),
  async run({ control }, { actor, operation: name, since, search, limit, after }) {
    const [time, id] = after === undefined ? [] : placeIn(after, place);
    const { items, next } = await control.listActions({
      ...given({ actor, operation: name, search }),
      ...(since !== undefined && { since: Date.parse(since) }),
      ...(time !== undefined && id !== undefined && { after: { time, id } }),
      take: limit,
    });
    return { items: items.map(actionRowOf), next: next && cursorOf([next.time, next.id]) };
  },
});

function actionRowOf({ time, input, changes, ...action }: ActionRecord): Shown<typeof actionRow> {
  return { ...action, at: time, input: jsonOf(input), changes: changes && jsonOf(changes) };
}

const jsonOf = (text: string) => readJsonOrText(text) as JsonValue;
