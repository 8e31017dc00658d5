import { z } from 'zod';
import type { PauseOptions } from '../../api/reading';
import type { PauseReport } from '../../api/scheduler';
import { instant, keyView, limitField } from '../fields';
import { operation } from '../operation';
import type { OperationContext } from '../operation-context';
import { instantOf } from '../views/plain';

/** What may be said of a pause. */
export const pauseFields = {
  reason: z.string().min(1).max(1_000).optional().describe('Why, for whoever meets it paused.'),
  until: instant.optional().describe('When it ends by itself.'),
};

/** The same in the API's words; who asks is who paused. */
export function pauseOptions(
  { actor }: OperationContext,
  { reason, until }: { readonly reason?: string | undefined; readonly until?: string | undefined },
): PauseOptions {
  return {
    by: actor.name,
    ...(reason !== undefined && { reason }),
    ...(until !== undefined && { until: new Date(until) }),
  };
}

const matcher = z.object({ operator: z.string(), value: z.string() });

const pauseView = z.object({
  target: z.object({
    kind: z.enum(['trigger', 'job', 'triggers', 'jobs']),
    key: keyView.nullable(),
    groups: matcher.nullable(),
  }),
  reason: z.string().nullable(),
  by: z.string().nullable(),
  since: instant,
  until: instant.nullable(),
});

export const pausesList = operation({
  summary: 'Lists the pauses of which something was said: why, by whom, until when.',
  role: 'viewer',
  effect: 'reads',
  http: { method: 'GET', path: '/pauses' },
  command: { words: ['pauses', 'list'] },
  input: z.strictObject({ limit: limitField.describe('How many to return at most: the oldest.') }),
  output: z.object({
    items: z.array(pauseView),
    total: z.int().describe('How many there are.'),
    pausedGroups: z
      .array(z.string())
      .describe('The groups of triggers that are paused as groups, so many at most as well.'),
  }),
  async run({ scheduler }, { limit }) {
    const [pauses, groups] = await Promise.all([scheduler.listPauses(), scheduler.getPausedTriggerGroups()]);
    const items = pauses.slice(0, limit).map(({ target, reason, by, since, until }) => ({
      target: {
        kind: target.kind,
        key: 'key' in target ? target.key : null,
        groups: 'matcher' in target ? { operator: target.matcher.operator, value: target.matcher.value } : null,
      },
      reason,
      by,
      since: since.toISOString(),
      until: instantOf(until),
    }));
    return { items, total: pauses.length, pausedGroups: [...groups].slice(0, limit) };
  },
});

export const pauseReport = z.object({
  unconfirmed: z.array(z.string()).describe('Nodes that have not said that they know of it.'),
});

export function reportOf({ unconfirmed }: PauseReport): z.input<typeof pauseReport> {
  return { unconfirmed: [...unconfirmed] };
}

export const schedulerPauseAll = operation({
  summary: 'Pauses all triggers, those of groups to come included.',
  role: 'operator',
  effect: 'changes',
  http: { method: 'POST', path: '/pause' },
  command: { words: ['pause', 'all'] },
  input: z.strictObject(pauseFields),
  output: pauseReport,
  async run(context, input) {
    return reportOf(await context.scheduler.pauseAll(pauseOptions(context, input)));
  },
});

export const schedulerResumeAll = operation({
  summary: 'Resumes all triggers; what they missed is handled by their misfire policies.',
  role: 'operator',
  effect: 'changes',
  http: { method: 'POST', path: '/resume' },
  command: { words: ['resume', 'all'] },
  input: z.strictObject({}),
  output: z.object({}),
  async run({ scheduler }) {
    await scheduler.resumeAll();
    return {};
  },
});
