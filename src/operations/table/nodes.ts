import { z } from 'zod';
import type { Scheduler } from '../../api/scheduler';
import { keyView, timeView, unreadableField } from '../fields';
import { action, type OperationContext, query } from '../operation';
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
  timeZoneData: z.string().nullable().describe('Version of the time zone data, such as 2025c. Null for a Java node.'),
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

/** Maximum number of runs that the answer to a drain lists. */
const MAX_LISTED = 50;

export const nodesDrain = action('admin', {
  summary: 'Drains a node: it acquires no more triggers and completes its runs. Shows the runs that it waits for.',
  http: { method: 'POST', path: '/nodes/:instanceId/drain' },
  command: { words: ['nodes', 'drain'], aliases: [['drain']], arguments: ['instanceId'] },
  input: z.strictObject(node),
  output: z.object({
    drained: z
      .boolean()
      .describe('False if the node has not confirmed yet, or a later undrain has replaced the request.'),
    running: z.int().describe('Number of runs that execute on the node, whose end it waits for.'),
    waitsFor: z
      .array(z.object({ runId: z.string(), job: keyView, trigger: keyView, fireTime: timeView, ageMs: z.int() }))
      .describe('These runs, the longest first, at most 50. `ageMs`: time since the fire time, in milliseconds.'),
    handedOver: z
      .array(z.object({ runId: z.string(), job: keyView, trigger: keyView, endTime: timeView }))
      .describe('Runs that the node has handed over since it joined, newest first, at most 50. Any node repeats them.'),
  }),
  async run({ scheduler, control }, { instanceId }) {
    const drained = (await scheduler.drain(instanceId)) || (await missing(scheduler, instanceId));
    return { drained, ...(await runsOfNode({ scheduler, control }, instanceId)) };
  },
});

/** Reads the runs that a node executes, and those that it has handed over since it joined. */
async function runsOfNode({ scheduler, control }: Pick<OperationContext, 'scheduler' | 'control'>, instanceId: string) {
  const [nodes, executing] = await Promise.all([scheduler.listNodes(), scheduler.listExecutingJobs()]);
  const since = nodes.find((each) => each.instanceId === instanceId)?.startedAt ?? new Date(0);
  const query = { node: instanceId, outcome: 'handedOver', since, limit: MAX_LISTED } as const;
  const { items } = await scheduler.listRuns(query);
  const own = executing.filter((run) => run.instanceId === instanceId && !run.isAbandoned);
  const now = control.now();
  const longest = [...own].sort((a, b) => a.fireTime.getTime() - b.fireTime.getTime()).slice(0, MAX_LISTED);
  return {
    running: own.length,
    waitsFor: longest.map(({ runId, jobKey, triggerKey, fireTime }) => ({
      ...{ runId, job: jobKey, trigger: triggerKey, fireTime },
      ageMs: Math.max(0, Math.round(now - fireTime.getTime())),
    })),
    handedOver: items.map(({ runId, jobKey, triggerKey, endTime }) => ({
      ...{ runId, job: jobKey, trigger: triggerKey, endTime },
    })),
  };
}

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
