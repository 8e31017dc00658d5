import { REQUEST_TIMEOUT_MS } from '../cluster/signals';
import { keyText } from '../domain/keys';
import { isGroupOfFurtherRuns } from '../domain/occurrence';
import type { ChangeSet, Outcomes } from '../domain/schedule-change';
import type { FiringRecord } from '../store/cluster-store';
import { afterCommitAsync } from './after-commit';
import type { SchedulerParts } from './scheduler-parts';

/*
 * A node acquires firings before they are due. A firing that was acquired before a pause or deletion may therefore begin after it. Pauses and
 * deletions resolve only after all such firings have begun.
 */

type ConfirmParts = Pick<SchedulerParts, 'config' | 'engine' | 'requests' | 'announce'>;

/**
 * Stores a change, then waits until every node has begun the firings that it acquired before the change. Returns the ids of nodes whose firings may
 * still begin, because the nodes did not confirm within 5 s or their leases expired.
 */
export async function changeAndConfirm(parts: ConfirmParts, write: () => Promise<void>): Promise<readonly string[]> {
  const { config, engine, requests, announce } = parts;
  const before = requests === null ? null : await requests.readNodes();
  await write();
  const [isStarted, others] = await Promise.all([
    engine.whenStarted(REQUEST_TIMEOUT_MS),
    afterCommitAsync(announce, 'checking whether the other nodes have begun their firings', {
      step: async () => (requests === null || before === null ? [] : (await requests.confirmStarted(before)).silent),
      fallback: [config.instanceId], // the other nodes may or may not have confirmed, so only this node is named
    }),
  ]);
  return [...new Set(isStarted ? others : [config.instanceId, ...others])];
}

/** Waits up to 5 s until all nodes have begun their firings of deleted triggers and jobs. Does not wait if none is stored. Never rejects. */
export async function whenDeletedHaveStarted(
  parts: ConfirmParts,
  changes: ChangeSet,
  outcomes: Outcomes,
): Promise<void> {
  const isDeleted = deletedBy(changes, outcomes);
  if (isDeleted === null) return;
  await afterCommitAsync(parts.announce, 'waiting for earlier firings of deleted triggers to begin', {
    step: () => whenStarted(parts, isDeleted),
    fallback: undefined,
  });
}

async function whenStarted(parts: ConfirmParts, isSelected: (firing: FiringRecord) => boolean): Promise<void> {
  const { config, engine, requests } = parts;
  if (requests === null) {
    await engine.whenStarted(REQUEST_TIMEOUT_MS);
    return;
  }
  const firings = (await requests.getFirings()).filter(isSelected);
  const started = new Set(engine.getCurrentlyExecutingJobs().map(({ runId }) => runId));
  const own = firings.filter(({ instanceId }) => instanceId === config.instanceId);
  const others = new Set(firings.filter((firing) => !own.includes(firing)).map(({ instanceId }) => instanceId));
  await Promise.all([
    own.every(({ runId }) => started.has(runId)) || engine.whenStarted(REQUEST_TIMEOUT_MS),
    requests.confirmStartedOn([...others]),
  ]);
}

/** Returns a predicate for the firings of deleted triggers and jobs, or null if nothing was deleted. */
function deletedBy(changes: ChangeSet, outcomes: Outcomes): ((firing: FiringRecord) => boolean) | null {
  const triggers = new Set<string>();
  const jobs = new Set<string>();
  for (const [index, { status, deletedTriggers, deletedJobs }] of outcomes.entries()) {
    const change = changes[index];
    if (change?.type === 'clear') return () => true;
    for (const key of deletedTriggers) triggers.add(keyText(key));
    for (const key of deletedJobs) jobs.add(keyText(key));
    if (status === 'deleted' && change?.type === 'deleteJob') jobs.add(keyText(change.key));
    if (status === 'deleted' && change?.type === 'deleteTrigger') triggers.add(keyText(change.key));
  }
  if (triggers.size + jobs.size === 0) return null;
  // The retries, recoveries and deferred runs of a deleted trigger have triggers of their own that do not name it, so all of them are selected.
  return ({ triggerKey, jobKey }) =>
    triggers.has(keyText(triggerKey)) || jobs.has(keyText(jobKey)) || isGroupOfFurtherRuns(triggerKey.group);
}
