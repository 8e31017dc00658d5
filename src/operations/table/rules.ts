import { z } from 'zod';
import { RULE_DIFFERENCES, sameRules } from '../../domain/rules';
import { action, query } from '../operation';
import { Problem } from '../problem';

const rulesField = z.enum(['safe', 'quartz']);
const clockChangesField = z.enum(['quartz', 'natural']);

export const rulesShow = query({
  summary: "Shows the rules for fire times that all nodes have, and where they differ from Quartz's.",
  http: { method: 'GET', path: '/rules' },
  command: { words: ['rules', 'show'] },
  input: z.strictObject({}),
  output: z.object({
    rules: rulesField.nullable().describe('Value of scheduler.rules on all nodes. Null before the first node.'),
    clockChanges: clockChangesField
      .nullable()
      .describe('Value of scheduler.clockChanges on all nodes. Null before the first node.'),
    differences: z
      .array(z.object({ name: z.string(), quartz: z.string(), safe: z.string() }))
      .describe("Rules that differ from Quartz's. Empty under `quartz`."),
  }),
  async run({ control }) {
    const { rules, clockChanges } = (await control.readRules()) ?? { rules: null, clockChanges: null };
    return { rules, clockChanges, differences: rules === 'quartz' ? [] : RULE_DIFFERENCES };
  },
});

export const rulesSet = action('admin', {
  summary:
    'Changes the rules for fire times of all nodes, while none runs. Then set scheduler.rules and scheduler.clockChanges on each node.',
  http: { method: 'PUT', path: '/rules' },
  command: { words: ['rules', 'set'], arguments: ['rules'] },
  input: z.strictObject({
    rules: rulesField.describe('New value of scheduler.rules on all nodes.'),
    clockChanges: clockChangesField
      .optional()
      .describe('New value of scheduler.clockChanges on all nodes. Default: the stored value.'),
  }),
  output: z.object({ status: z.enum(['changed', 'unchanged']) }),
  async run({ control }, { rules, clockChanges }) {
    const stored = await control.readRules();
    const changed = { rules, clockChanges: clockChanges ?? stored?.clockChanges ?? 'quartz' };
    if (stored !== null && sameRules(stored, changed)) return { status: 'unchanged' as const };
    if (!control.readRuntime().isObserver) {
      throw refused('the node that serves this request has the present rules', rules);
    }
    const living = await control.setRules(changed);
    if (living.length > 0) throw refused(`these nodes run: ${living.join(', ')}`, rules);
    return { status: 'changed' as const };
  },
});

function refused(reason: string, rules: string): Problem {
  return new Problem(
    'SCHEDULER_STATE',
    `The rules cannot be changed, because ${reason}. Stop all nodes and run \`quartz rules set ${rules}\` with the configuration or the URL of the database.`,
  );
}
