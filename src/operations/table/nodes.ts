import { z } from 'zod';
import type { Scheduler } from '../../api/scheduler';
import { timeView, unreadableField } from '../fields';
import { action, query } from '../operation';
import { Problem } from '../problem';
import { loadView } from '../views/load-view';

export const nodeView = z.object({
  ...unreadableField,
  instanceId: z.string(),
  isThisNode: z.boolean().describe('True for the node that sent this response.'),
  isJava: z.boolean(),
  state: z.enum(['alive', 'silent']),
  lastCheckInTime: timeView.nullable(),
  leaseUntil: timeView.nullable(),
  startedAt: timeView.nullable(),
  version: z.string().nullable(),
  host: z.string().nullable(),
  processId: z.int().nullable(),
  jobTypes: z.array(z.string()).nullable(),
  labels: z.array(z.string()).nullable(),
  isDraining: z.boolean(),
  holdsBack: z
    .object({ since: timeView, until: timeView })
    .nullable()
    .describe(
      'Period in which the node leaves triggers to other nodes because its event loop was blocked; null if there is no such period.',
    ),
  refusedJobTypes: z
    .array(z.object({ jobType: z.string(), since: timeView, until: timeView }))
    .describe(
      'Job types that the node does not acquire until `until`, because it has not been able to create their jobs since `since`.',
    ),
  load: loadView.nullable().describe('Load at the last check-in; null if the node does not report its load.'),
});

const node = { instanceId: z.string().min(1).max(190).describe('Instance id of the node.') };

export const nodesList = query({
  summary: 'Lists the nodes of the cluster with their leases, versions, labels, job types and load.',
  http: { method: 'GET', path: '/nodes' },
  command: { words: ['nodes', 'list'] },
  input: z.strictObject({}),
  output: z.object({ items: z.array(nodeView) }),
  run: async ({ scheduler }) => ({ items: await scheduler.listNodes() }),
});

/** Returns false for a node that exists, because the node did not respond to the request. Rejects with NOT_FOUND if there is no such node. */
async function missing(scheduler: Pick<Scheduler, 'listNodes'>, instanceId: string): Promise<false> {
  if ((await scheduler.listNodes()).some((each) => each.instanceId === instanceId)) return false;
  throw new Problem('NOT_FOUND', `Expected a node with the instance id '${instanceId}', found none.`);
}

export const nodesDrain = action('admin', {
  summary: 'Drains a node: it acquires no more triggers and completes its runs.',
  http: { method: 'POST', path: '/nodes/:instanceId/drain' },
  command: { words: ['nodes', 'drain'], aliases: [['drain']], arguments: ['instanceId'] },
  input: z.strictObject(node),
  output: z.object({
    drained: z
      .boolean()
      .describe('False if the node has not confirmed yet, or a later undrain has replaced the request.'),
  }),
  async run({ scheduler }, { instanceId }) {
    return { drained: (await scheduler.drain(instanceId)) || (await missing(scheduler, instanceId)) };
  },
});

export const nodesUndrain = action('admin', {
  summary: 'Undrains a node: it acquires triggers again.',
  http: { method: 'POST', path: '/nodes/:instanceId/undrain' },
  command: { words: ['nodes', 'undrain'], arguments: ['instanceId'] },
  input: z.strictObject(node),
  output: z.object({
    undrained: z
      .boolean()
      .describe('False if the node has not confirmed yet, or a later drain has replaced the request.'),
  }),
  async run({ scheduler }, { instanceId }) {
    return { undrained: (await scheduler.undrain(instanceId)) || (await missing(scheduler, instanceId)) };
  },
});
