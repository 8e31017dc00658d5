import { z } from 'zod';
import { COUNTED } from '../cluster-figures';
import { FINDING_IDS, findFaults, REPAIRS } from '../findings';
import { operation } from '../operation';
import type { OperationContext } from '../operation-context';

export const doctorCheck = operation({
  summary: 'Looks for what keeps triggers from firing, now or before long, and says what to do.',
  role: 'viewer',
  effect: 'reads',
  http: { method: 'GET', path: '/doctor' },
  command: {
    words: ['doctor', 'check'],
    aliases: [['doctor']],
    columns: ['severity', 'id', 'found', 'advice', 'isRepairable'],
  },
  input: z.strictObject({}),
  output: z.object({
    items: z
      .array(
        z.object({
          id: z.enum(FINDING_IDS),
          severity: z
            .enum(['problem', 'warning', 'note'])
            .describe(
              'problem: something does not fire; warning: something may not, before long; note: worth to know.',
            ),
          found: z.string(),
          advice: z.string(),
          isRepairable: z.boolean().describe('By the operation that repairs.'),
        }),
      )
      .describe('The worst first; empty: nothing was found.'),
  }),
  async run({ scheduler, control }) {
    return { items: (await findFaults(scheduler, control)).map((finding) => ({ ...finding })) };
  },
});

/** Each returns how many it has put right. */
const DEEDS: Readonly<Record<(typeof REPAIRS)[number], (context: OperationContext) => Promise<number>>> = {
  async triggersInError({ scheduler, control }) {
    const { items } = await control.pageTriggers({ states: ['ERROR'], sort: 'key', take: COUNTED.deadLetters });
    for (const { trigger } of items) await scheduler.resetTriggerFromErrorState(trigger.key);
    return items.length;
  },
  stuckTriggers: ({ control }) => control.repairStates(),
};

export const doctorRepair = operation({
  summary: 'Repairs what was found: resets triggers in ERROR (at most 200), frees triggers that nobody holds.',
  role: 'admin',
  effect: 'destroys',
  http: { method: 'POST', path: '/doctor/repair' },
  command: { words: ['doctor', 'repair'], arguments: ['findings'] },
  input: z.strictObject({
    findings: z.array(z.enum(REPAIRS)).min(1).max(REPAIRS.length).describe('Ids of findings that can be repaired.'),
  }),
  output: z.object({
    items: z.array(z.object({ id: z.enum(REPAIRS), count: z.int().describe('How much was put right.') })),
  }),
  async run(context, { findings }) {
    const items: { id: (typeof REPAIRS)[number]; count: number }[] = [];
    for (const id of new Set(findings)) items.push({ id, count: await DEEDS[id](context) });
    return { items };
  },
});
