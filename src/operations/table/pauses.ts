import { z } from 'zod';
import type { PauseOptions } from '../../api/reading';
import { pauseAt, placeOfPause } from '../../domain/pause';
import { cursorOf, placeIn } from '../cursor';
import { instant, keyView, pageFields, pageOf, textField, unreadableField } from '../fields';
import { action, type OperationContext, query } from '../operation';
import { listedPause } from '../views/pause-view';

export const pauseFields = {
  reason: textField(1_000, 'Reason of the pause, shown wherever the pause is shown.'),
  until: instant.optional().describe('Time at which the pause ends automatically.'),
  holdRetries: z
    .boolean()
    .default(true)
    .describe('Also pause waiting runs of earlier occurrences: retries, recoveries, parts, deferred runs.'),
};

export const resumeFields = {
  alsoSingle: z
    .boolean()
    .default(false)
    .describe('Also end pauses of narrower targets that have a reason, an author or an end time.'),
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

const targetKind = z.enum(['trigger', 'job', 'triggers', 'jobs']);

const pausePlace = z.tuple([targetKind, z.string(), z.string()]);

const pauseView = listedPause.extend({
  ...unreadableField,
  target: z.object({
    kind: targetKind,
    key: keyView.nullable(),
    groups: z.object({ operator: z.string(), value: z.string() }).nullable(),
  }),
});

export const pausesList = query({
  summary: 'Lists pauses that have a reason, an author or an end time.',
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
    const items = page.items.map(({ target, holdsRetries = true, ...pause }) => ({
      ...pause,
      target: {
        kind: target.kind,
        key: 'key' in target ? target.key : null,
        groups: 'matcher' in target ? target.matcher : null,
      },
      holdsRetries,
    }));
    return { items, next: page.next && cursorOf(placeOfPause(page.next)), pausedGroups: [...groups].slice(0, limit) };
  },
});

export const pauseReport = z.object({
  unconfirmed: z.array(z.string()).describe('Nodes that have not confirmed the pause.'),
});

export const schedulerPauseAll = action('operator', {
  summary: 'Pauses all triggers, including those added later.',
  http: { method: 'POST', path: '/pause' },
  command: { words: ['pause', 'all'] },
  input: z.strictObject(pauseFields),
  output: pauseReport,
  run: (context, input) => context.scheduler.pauseAll(pauseOptions(context, input)),
});

export const schedulerResumeAll = action('operator', {
  summary:
    'Ends the pause of all triggers. Pauses of single triggers, jobs and groups stay, unless `alsoSingle` is set. Missed fire times follow ' +
    "each trigger's misfire policy.",
  http: { method: 'POST', path: '/resume' },
  command: { words: ['resume', 'all'] },
  input: z.strictObject(resumeFields),
  output: z.object({}),
  async run({ scheduler }, options) {
    await scheduler.resumeAll(options);
    return {};
  },
});
