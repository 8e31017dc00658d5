import { distinctKeys, type JobKey } from '../../../domain/keys';
import { DEFERRED_PREFIX, isGroupOfFurtherRuns } from '../../../domain/occurrence';
import { changesRate, withRateOf } from '../../../domain/rate-changes';
import type { Trigger } from '../../../domain/trigger';
import type { NodeTransaction } from '../rows/node-transaction';
import { jobKeyColumns } from '../rows/rows';
import type { Extension } from './extension';
import { readTriggersInto } from './load-draft';
import { recallTurns } from './rates';
import type { ScheduleDraft } from './schedule-draft';
import { selectTriggerKeys } from './select-definitions';

/** Applies the rate limits in a change set. Deferred firings get the new limit, and their fire times are computed again. */
export const RATES: Extension = {
  storing: renewRates,
  stored: (tx, draft) => recallTurns(tx, jobsOfChangedRates(draft)),
  isRequeued: (draft) => jobsOfChangedRates(draft).length > 0,
};

/** Returns the jobs whose own rate limit changes, or whose triggers' rate limits change. */
function jobsOfChangedRates(draft: ScheduleDraft): readonly JobKey[] {
  const jobs = [...draft.jobs.values()].filter(({ stored, written }) =>
    changesRate({ before: stored, after: written }),
  );
  return distinctKeys([...jobs.map(({ key }) => key), ...changedTriggers(draft).map(({ jobKey }) => jobKey)]);
}

function changedTriggers(draft: ScheduleDraft): readonly Trigger[] {
  return [...draft.triggers.values()].flatMap(({ before, now, isWritten }) => {
    const after = now?.trigger ?? null;
    return isWritten && after !== null && changesRate({ before: before?.trigger ?? null, after }) ? [after] : [];
  });
}

/** Copies a trigger's new rate limit to its deferred firings, because each deferred firing has a copy of the trigger's policy. */
async function renewRates(tx: NodeTransaction, draft: ScheduleDraft): Promise<void> {
  const changed = changedTriggers(draft);
  if (changed.length === 0) return;
  const jobs = distinctKeys(changed.map(({ jobKey }) => jobKey)).map(jobKeyColumns);
  const keys = await selectTriggerKeys(tx, 'selectTriggersOfJobs', jobs);
  const deferred = keys.filter(({ name, group }) => name.startsWith(DEFERRED_PREFIX) && isGroupOfFurtherRuns(group));
  for (const { key, before } of await readTriggersInto(tx, draft, deferred)) {
    if (before?.trigger == null) continue;
    for (const each of changed) {
      const renewed = withRateOf(before.trigger, each);
      if (renewed !== null && draft.trigger(key) !== null) draft.putTrigger(renewed, before.state);
    }
  }
}
