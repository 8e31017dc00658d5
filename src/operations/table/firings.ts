import { z } from 'zod';
import { formatKey, parseKey, sameKey } from '../../domain/keys';
import { interruptionView, keyView, limitField, textField, timeView, unreadableField } from '../fields';
import { action, query } from '../operation';
import { Problem } from '../problem';
import { withKeys } from '../views/plain';
import { runIdField } from './runs';

const firingView = z.object({
  ...unreadableField,
  runId: z.string(),
  instanceId: z.string(),
  job: keyView,
  trigger: keyView,
  fireTime: timeView,
  scheduledFireTime: timeView,
  isRecovering: z.boolean(),
  isAbandoned: z.boolean(),
  progress: z.object({ fraction: z.number(), message: z.string().nullable(), at: timeView }).nullable(),
  interruption: interruptionView,
});

export const firingsList = query({
  summary: 'Lists the runs that execute now, on all nodes, the longest first.',
  http: { method: 'GET', path: '/firings' },
  command: {
    words: ['firings', 'list'],
    columns: ['fireTime', 'job.group', 'job.name', 'instanceId', 'progress.fraction', 'progress.message', 'runId'],
  },
  input: z.strictObject({
    job: textField(381, 'Only runs of this job: `group/name`, or a name in the group DEFAULT.'),
    node: textField(190, 'Only runs on the node with this instance id.'),
    limit: limitField,
  }),
  output: z.object({ items: z.array(firingView), total: z.int().describe('Number of matches.') }),
  async run({ scheduler }, { job, node, limit }) {
    const all = await scheduler.listExecutingJobs();
    const key = job === undefined ? null : parseKey(job);
    const found = all.filter(
      (each) => (key === null || sameKey(key, each.jobKey)) && (node ?? each.instanceId) === each.instanceId,
    );
    return { items: found.slice(0, limit).map(withKeys), total: found.length };
  },
});

export const firingsInterrupt = action('operator', {
  summary: 'Interrupts one run on any node: aborts its signal. A job that ignores its signal continues.',
  http: { method: 'POST', path: '/firings/:runId/interrupt' },
  command: { words: ['firings', 'interrupt'], aliases: [['interrupt']], arguments: ['runId'] },
  input: z.strictObject({ runId: runIdField }),
  output: z.object({ interrupted: z.literal(true) }),
  async run({ scheduler, note, actor }, { runId }) {
    const running = await scheduler.listExecutingJobs();
    const job = running.find((each) => each.runId === runId)?.jobKey;
    if (job !== undefined) note({ target: `${formatKey(job)} (${runId})` });
    if (await scheduler.interruptRun(runId, { by: actor.name })) return { interrupted: true } as const;
    throw new Problem('NOT_FOUND', `Expected an executing run with the id '${runId}', found none. It may have ended.`);
  },
});

const occurrenceView = z.object({
  ...unreadableField,
  occurrenceId: z.string(),
  trigger: keyView,
  job: keyView,
  scheduledFireTime: timeView,
  startTime: timeView,
  parts: z.int(),
  remaining: z.int(),
  failed: z.int(),
  isBroadcast: z.boolean(),
});

export const occurrencesList = query({
  summary: 'Lists the occurrences that run in parts and have unfinished parts, the oldest first.',
  http: { method: 'GET', path: '/occurrences' },
  command: { words: ['occurrences', 'list'] },
  input: z.strictObject({ limit: limitField }),
  output: z.object({ items: z.array(occurrenceView) }),
  async run({ scheduler }, { limit }) {
    const all = await scheduler.listOngoingOccurrences();
    return { items: all.slice(0, limit).map(withKeys) };
  },
});

export const overdueList = query({
  summary: 'Lists jobs and triggers that have not succeeded within their mustSucceedWithin.',
  http: { method: 'GET', path: '/overdue' },
  command: { words: ['overdue', 'list'] },
  input: z.strictObject({
    limit: limitField.describe('Maximum number of items to return, the longest overdue first.'),
  }),
  output: z.object({
    items: z.array(
      z.object({
        ...unreadableField,
        job: keyView,
        trigger: keyView.nullable(),
        mustSucceedWithinMs: z.int(),
        since: timeView,
        lastSuccess: timeView.nullable(),
      }),
    ),
  }),
  async run({ scheduler }, { limit }) {
    const all = await scheduler.listOverdue({ limit });
    return { items: all.map((each) => ({ ...withKeys(each), mustSucceedWithinMs: each.mustSucceedWithin })) };
  },
});
