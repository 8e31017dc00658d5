import type { SchedulerParts } from './scheduler-parts';

/** What has been due for longer is not looked at: it is a backlog, and would be the same at every reading. */
const LOOK_BACK_MS = 2_000;

/**
 * Reads a text that is another one when another node has changed something that people look at: the first of the triggers that wait, the jobs
 * that execute, the newest recorded run. Three statements that read a few rows each, whatever is stored. Null: no other node shares the store.
 */
export function changeMarkReader({
  node,
  config,
  lifecycle,
}: Pick<SchedulerParts, 'node' | 'config' | 'lifecycle'>): (() => Promise<string>) | null {
  const { cluster } = node;
  if (cluster === null) return null;
  const { instanceId } = config;
  return async () => {
    lifecycle.assertUsable();
    // Without an epoch no signal is looked for.
    const request = { instanceId, epoch: '', lookBack: LOOK_BACK_MS, isCounted: false };
    const { fingerprint } = await cluster.store.watchChanges(request);
    const firings = await cluster.store.getFirings();
    const newest = await cluster.store.newestRun();
    return JSON.stringify([fingerprint, firings.map((each) => each.runId).sort(), newest]);
  };
}
