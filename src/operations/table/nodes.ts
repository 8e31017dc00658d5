import { z } from 'zod';
import type { NodeInfo } from '../../api/reading';
import type { Scheduler } from '../../api/scheduler';
import { instant, unreadableField } from '../fields';
import { operation, type Shown } from '../operation';
import { Problem } from '../problem';
import { loadView } from '../views/load-view';
import { instantOf } from '../views/plain';

export const nodeView = z.object({
  ...unreadableField,
  instanceId: z.string(),
  isThisNode: z.boolean().describe('True for the node that sent this response.'),
  isJava: z.boolean(),
  state: z.enum(['alive', 'silent']),
  lastCheckInTime: instant.nullable(),
  leaseUntil: instant.nullable(),
  startedAt: instant.nullable(),
  version: z.string().nullable(),
  host: z.string().nullable(),
  processId: z.int().nullable(),
  jobTypes: z.array(z.string()).nullable(),
  labels: z.array(z.string()).nullable(),
  isDraining: z.boolean(),
  holdsBack: z
    .object({ since: instant, until: instant })
    .nullable()
    .describe(
      'Period in which the node leaves triggers to other nodes because its event loop was blocked; null if there is no such period.',
    ),
  load: loadView.nullable().describe('Load at the last check-in; null if the node does not report its load.'),
});

export function nodeOf(node: NodeInfo): Shown<typeof nodeView> {
  const { lastCheckInTime, leaseUntil, startedAt, holdsBack, ...rest } = node;
  return {
    ...rest,
    lastCheckInTime: instantOf(lastCheckInTime),
    leaseUntil: instantOf(leaseUntil),
    startedAt: instantOf(startedAt),
    holdsBack: holdsBack && { since: instantOf(holdsBack.since), until: instantOf(holdsBack.until) },
  };
}

const node = { instanceId: z.string().min(1).max(190).describe('Instance id of the node.') };

export const nodesList = operation({
  summary: 'Lists the nodes of the cluster with their leases, versions, labels, job types and load.',
  role: 'viewer',
  effect: 'reads',
  http: { method: 'GET', path: '/nodes' },
  command: { words: ['nodes', 'list'] },
  input: z.strictObject({}),
  output: z.object({ items: z.array(nodeView) }),
  async run({ scheduler }) {
    return { items: (await scheduler.listNodes()).map(nodeOf) };
  },
});

/** Returns false for a node that exists, because the node did not respond to the request. Rejects with NOT_FOUND if there is no such node. */
async function missing(scheduler: Pick<Scheduler, 'listNodes'>, instanceId: string): Promise<false> {
  if ((await scheduler.listNodes()).some((each) => each.instanceId === instanceId)) return false;
  throw new Problem('NOT_FOUND', `Expected a node with the instance id '${instanceId}', found none.`);
}

export const nodesDrain = operation({
  summary: 'Drains a node: it acquires no more triggers and completes its runs.',
  role: 'admin',
  effect: 'changes',
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

export const nodesUndrain = operation({
  summary: 'Undrains a node: it acquires triggers again.',
  role: 'admin',
  effect: 'changes',
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
