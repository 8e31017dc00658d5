import { REQUEST_TIMEOUT_MS } from '../cluster/signals';
import { keyText } from '../domain/keys';
import { isGroupOfFurtherRuns } from '../domain/occurrence';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { FiringRecord } from '../store/cluster-store';
import { afterCommitAsync } from './after-commit';
import type { SchedulerParts } from './scheduler-parts';

/*
 * A node holds firings until they are due, so a firing that was stored before a change may begin after it. A pause or a
 * deletion resolves when all such firings have begun.
 */

export type BegunParts = Pick<SchedulerParts, 'config' | 'engine' | 'requests' | 'announce'>;

/**
 * Reads the nodes, stores the change, and waits until every node has begun the firings it held before. Returns the ids
 * of nodes that did not confirm in time, or whose leases expired during the wait: jobs may still begin there.
 */
export async function changeAndConfirm(parts: BegunParts, write: () => Promise<void>): Promise<readonly string[]> {
  const { config, engine, requests, announce } = parts;
  const before = requests === null ? null : await requests.readNodes();
  await write();
  const [isBegun, others] = await Promise.all([
    engine.whenBegun(REQUEST_TIMEOUT_MS),
    afterCommitAsync(announce, 'checking whether the other nodes have begun their firings', {
      step: async () => (requests === null || before === null ? [] : (await requests.settle(before)).silent),
      fallback: [config.instanceId], // the other nodes are unknown then
    }),
  ]);
  return [...new Set(isBegun ? others : [config.instanceId, ...others])];
}

/**
 * Resolves when every node that held firings of deleted triggers and jobs has begun them, or after 5 s. Never rejects.
 * Returns immediately if the deleted triggers had not fired.
 */
export async function whenDeletedHasBegun(
  parts: BegunParts,
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): Promise<void> {
  const isDeleted = deletedBy(changes, outcomes);
  if (isDeleted === null) return;
  await afterCommitAsync(parts.announce, 'waiting for earlier firings of deleted triggers to begin', {
    step: () => whenBegun(parts, isDeleted),
    fallback: undefined,
  });
}

async function whenBegun(parts: BegunParts, isSelected: (firing: FiringRecord) => boolean): Promise<void> {
  const { config, engine, requests } = parts;
  if (requests === null) {
    await engine.whenBegun(REQUEST_TIMEOUT_MS);
    return;
  }
  const firings = (await requests.getFirings()).filter(isSelected);
  const begun = new Set(engine.getCurrentlyExecutingJobs().map(({ runId }) => runId));
  const own = firings.filter(({ instanceId }) => instanceId === config.instanceId);
  const others = new Set(firings.filter((firing) => !own.includes(firing)).map(({ instanceId }) => instanceId));
  await Promise.all([
    own.every(({ runId }) => begun.has(runId)) || engine.whenBegun(REQUEST_TIMEOUT_MS),
    requests.settleOn([...others]),
  ]);
}

/** Returns a predicate for firings of deleted triggers and jobs, or null if nothing was deleted. */
function deletedBy(
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): ((firing: FiringRecord) => boolean) | null {
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
  // Further runs of a deleted trigger's occurrence have their own triggers, which do not name the deleted one. All of
  // them are selected.
  return ({ triggerKey, jobKey }) =>
    triggers.has(keyText(triggerKey)) || jobs.has(keyText(jobKey)) || isGroupOfFurtherRuns(triggerKey.group);
}
