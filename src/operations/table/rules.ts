import { z } from 'zod';
import { RULE_DIFFERENCES } from '../../domain/rules';
import { action, query } from '../operation';
import { Problem } from '../problem';

const rulesField = z.enum(['safe', 'quartz']);

export const rulesShow = query({
  summary: "Shows the rules for fire times that all nodes have, and where they differ from Quartz's.",
  http: { method: 'GET', path: '/rules' },
  command: { words: ['rules', 'show'] },
  input: z.strictObject({}),
  output: z.object({
    rules: rulesField.nullable().describe('Value of scheduler.rules on all nodes. Null before the first node.'),
    differences: z
      .array(z.object({ name: z.string(), quartz: z.string(), safe: z.string() }))
      .describe("Rules that differ from Quartz's. Empty under `quartz`."),
  }),
  async run({ control }) {
    const rules = await control.readRules();
    return { rules, differences: rules === 'quartz' ? [] : RULE_DIFFERENCES };
  },
});

export const rulesSet = action('admin', {
  summary: 'Changes the rules for fire times of all nodes, while none runs. Then set scheduler.rules on each node.',
  http: { method: 'PUT', path: '/rules' },
  command: { words: ['rules', 'set'], arguments: ['rules'] },
  input: z.strictObject({ rules: rulesField.describe('New value of scheduler.rules on all nodes.') }),
  output: z.object({ status: z.enum(['changed', 'unchanged']) }),
  async run({ control }, { rules }) {
    if ((await control.readRules()) === rules) return { status: 'unchanged' as const };
    if (!control.readRuntime().isObserver) {
      throw refused('the node that serves this request has the present rules', rules);
    }
    const living = await control.setRules(rules);
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
