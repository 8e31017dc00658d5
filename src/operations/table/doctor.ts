import { z } from 'zod';
import { ERROR_STATES } from '../../domain/trigger-state';
import { COUNTED } from '../cluster-figures';
import { FINDING_IDS, FINDING_SECTIONS, REPAIRS } from '../finding';
import { findFaults } from '../findings';
import { irreversible, type OperationContext, query } from '../operation';

export const doctorCheck = query({
  summary: 'Finds problems that keep triggers from firing, now or soon, and advises how to fix them.',
  http: { method: 'GET', path: '/doctor' },
  command: {
    words: ['doctor', 'check'],
    aliases: [['doctor']],
    columns: ['severity', 'id', 'found', 'expected', 'advice', 'isRepairable'],
    allowsDamagedTables: true,
  },
  input: z.strictObject({}),
  output: z.object({
    items: z
      .array(
        z.object({
          id: z.enum(FINDING_IDS),
          section: z.enum(FINDING_SECTIONS).describe('Area of the finding.'),
          severity: z
            .enum(['problem', 'warning', 'note'])
            .describe('problem: something does not fire. warning: something may soon not fire. note: worth knowing.'),
          expected: z.string(),
          found: z.string(),
          advice: z.string().describe('Advice on how to fix it.'),
          isRepairable: z.boolean().describe('True if doctor.repair can fix it.'),
        }),
      )
      .describe('Findings, the most severe first; empty if there are none.'),
  }),
  run: async ({ scheduler, control }) => ({ items: await findFaults(scheduler, control) }),
});

export const doctorFacts = query({
  summary: 'Lists facts about the database: tables, settings, and the connections of this node.',
  http: { method: 'GET', path: '/doctor/facts' },
  command: { words: ['doctor', 'facts'], allowsDamagedTables: true },
  input: z.strictObject({
    sql: z.boolean().default(false).describe('Also list every SQL statement of the store as the database receives it.'),
  }),
  output: z.object({
    items: z
      .array(z.object({ section: z.enum(FINDING_SECTIONS), name: z.string(), value: z.string() }))
      .describe('With the memory store there is nothing to check.'),
  }),
  async run({ scheduler, control }, { sql }) {
    const report = await control.examineDatabase(sql);
    const { name } = scheduler.getMetaData().jobStore;
    if (report === null) return { items: [{ section: 'store' as const, name, value: 'nothing to check' }] };
    const value = `${Math.round(report.clockOffset)} ms`;
    const clock = { section: 'cluster' as const, name: 'clock of the database minus clock of this machine', value };
    return { items: [...report.facts, clock] };
  },
});

/** Repair functions by finding. Each returns the number of repaired objects. */
const ACTIONS: Readonly<Record<(typeof REPAIRS)[number], (context: OperationContext) => Promise<number>>> = {
  async triggersInError({ scheduler, control }) {
    const { items } = await control.pageTriggers({
      states: ERROR_STATES,
      sort: 'nextFireTime',
      take: COUNTED.deadLetters,
    });
    for (const { trigger } of items) await scheduler.resetTriggerFromErrorState(trigger.key);
    return items.length;
  },
  stuckTriggers: ({ control }) => control.repairStates(),
  missingIndexes: ({ control }) => control.createMissingIndexes(),
  largeLog: ({ control }) => control.truncateLog(),
};

export const doctorRepair = irreversible('admin', {
  summary:
    'Repairs findings: resets triggers in ERROR (at most 200), releases stuck triggers, creates missing indexes, truncates the log of a SQLite file.',
  http: { method: 'POST', path: '/doctor/repair' },
  command: { words: ['doctor', 'repair'], arguments: ['findings'], allowsDamagedTables: true },
  input: z.strictObject({
    findings: z.array(z.enum(REPAIRS)).min(1).max(REPAIRS.length).describe('Ids of findings that can be repaired.'),
  }),
  output: z.object({
    items: z.array(z.object({ id: z.enum(REPAIRS), count: z.int().describe('Number of repaired items.') })),
  }),
  async run(context, { findings }) {
    const items: { id: (typeof REPAIRS)[number]; count: number }[] = [];
    for (const id of new Set(findings)) items.push({ id, count: await ACTIONS[id](context) });
    return { items };
  },
});
