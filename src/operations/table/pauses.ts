import { z } from 'zod';
import type { PauseOptions } from '../../api/reading';
import type { PauseReport } from '../../api/scheduler';
import { toDate } from '../../api/trigger';
import { pauseAt, placeOfPause } from '../../domain/pause';
import { cursorOf, placeIn } from '../cursor';
import { instant, keyView, pageFields, pageOf, unreadableField } from '../fields';
import { operation } from '../operation';
import type { OperationContext } from '../operation-context';
import { listedPause } from '../views/pause-view';
import { instantAt, instantOf } from '../views/plain';

export const pauseFields = {
  reason: z.string().min(1).max(1_000).optional().describe('Reason of the pause, shown wherever the pause is shown.'),
  until: instant.optional().describe('Time at which the pause ends automatically.'),
  holdRetries: z
    .boolean()
    .default(true)
    .describe('Also pause waiting runs of earlier occurrences: retries, recoveries, parts, deferred runs.'),
};

/** Converts the fields to options of the API, with the actor as the author of the pause. */
export function pauseOptions(
  { actor }: OperationContext,
  { reason, until, holdRetries }: z.output<z.ZodObject<typeof pauseFields>>,
): PauseOptions {
  return {
    by: actor.name,
    ...(reason !== undefined && { reason }),
    ...(until !== undefined && { until: new Date(until) }),
    ...(!holdRetries && { holdRetries }),
  };
}

const matcher = z.object({ operator: z.string(), value: z.string() });

const pausePlace = z.tuple([z.enum(['trigger', 'job', 'triggers', 'jobs']), z.string(), z.string()]);

const pauseView = listedPause.extend({
  ...unreadableField,
  target: z.object({
    kind: z.enum(['trigger', 'job', 'triggers', 'jobs']),
    key: keyView.nullable(),
    groups: matcher.nullable(),
  }),
});

export const pausesList = operation({
  summary: 'Lists pauses that have a reason, an author or an end time.',
  role: 'viewer',
  effect: 'reads',
  http: { method: 'GET', path: '/pauses' },
  command: { words: ['pauses', 'list'] },
  input: z.strictObject(pageFields()),
  output: pageOf(pauseView).extend({
    pausedGroups: z.array(z.string()).describe('Paused trigger groups, also at most `limit`.'),
  }),
  async run({ scheduler, control }, { limit, after }) {
    const behind = after === undefined ? {} : { after: pauseAt(placeIn(after, pausePlace)) };
    const [page, groups] = await Promise.all([
      control.pagePauses({ ...behind, take: limit }),
      scheduler.getPausedTriggerGroups(),
    ]);
    const items = page.items.map(({ target, reason, by, since, until, holdsRetries = true }) => ({
      target: {
        kind: target.kind,
        key: 'key' in target ? target.key : null,
        groups: 'matcher' in target ? { operator: target.matcher.operator, value: target.matcher.value } : null,
      },
      reason,
      by,
      since: instantAt(since),
      until: instantOf(toDate(until)),
      holdsRetries,
    }));
    return { items, next: page.next && cursorOf(placeOfPause(page.next)), pausedGroups: [...groups].slice(0, limit) };
  },
});

export const pauseReport = z.object({
  unconfirmed: z.array(z.string()).describe('Nodes that have not confirmed the pause.'),
});

export function reportOf({ unconfirmed }: PauseReport): z.input<typeof pauseReport> {
  return { unconfirmed: [...unconfirmed] };
}

export const schedulerPauseAll = operation({
  summary: 'Pauses all triggers, including those added later.',
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
  summary:
    "Resumes all triggers, including individually paused ones. Missed fire times follow each trigger's misfire policy.",
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
