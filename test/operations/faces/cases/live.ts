import type { Scheduler } from '../../../../src/api/scheduler';
import { until } from '../furnished';
import type { Case } from './case';

/** A case on a running node. `input` prepares the node, and `effect` returns the result of the operation. */
export interface LiveCase<Name extends LiveName = LiveName> extends Omit<Case<Name>, 'input'> {
  readonly input: (node: Scheduler) => Promise<Case<Name>['input']>;
  readonly effect: (node: Scheduler) => Promise<unknown>;
}

export type LiveName = 'nodes.drain' | 'nodes.undrain' | 'firings.interrupt' | 'jobs.interrupt';

/** Instance id of the node. */
export const NODE = 'node-2';

const long = { name: 'long', group: 'g' } as const;
const tooLong = 'x'.repeat(191);

/** Returns true if the cluster lists the node as draining. */
const isDraining = async (node: Scheduler) =>
  (await node.listNodes()).find(({ instanceId }) => instanceId === NODE)?.isDraining;

const executing = async (node: Scheduler) =>
  (await node.listExecutingJobs()).find(({ jobKey }) => jobKey.name === 'long')?.runId ?? null;

/** Starts a run of `long`, which does not end, and returns its id. */
async function running(node: Scheduler): Promise<string> {
  await node.triggerJob(long);
  return until(() => executing(node));
}

/** Outcome and error of the newest run of `long`, after it has ended. */
async function ended(node: Scheduler): Promise<unknown> {
  await until(async () => ((await executing(node)) === null ? 'ended' : null));
  const [run] = await until(async () => {
    const { items } = await node.listRuns({ job: long, node: NODE });
    return items.length > 0 ? items : null;
  });
  return { outcome: run?.outcome, error: run?.error };
}

export const LIVE: { readonly [Name in LiveName]: LiveCase<Name> } = {
  'nodes.drain': {
    input: async () => ({ instanceId: NODE }),
    answers: { drained: true, running: 0, waitsFor: [], handedOver: [] },
    effect: async (node) => until(async () => (await isDraining(node)) ?? null),
    refused: { input: { instanceId: tooLong }, code: 'INVALID_INPUT' },
  },
  'nodes.undrain': {
    async input(node) {
      await node.drain();
      return { instanceId: NODE };
    },
    answers: { undrained: true },
    effect: async (node) => until(async () => ((await isDraining(node)) === false ? 'takes triggers' : null)),
    refused: { input: { instanceId: tooLong }, code: 'INVALID_INPUT' },
  },
  'firings.interrupt': {
    input: async (node) => ({ runId: await running(node) }),
    answers: { interrupted: true },
    effect: ended,
    refused: { input: { runId: tooLong }, code: 'INVALID_INPUT' },
  },
  'jobs.interrupt': {
    async input(node) {
      await running(node);
      return long;
    },
    answers: { interrupted: true },
    effect: ended,
    refused: { input: { name: 'nobody', group: 'g' }, code: 'JOB_NOT_FOUND' },
  },
};
