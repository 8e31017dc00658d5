import type { TriggerKey } from '../../../domain/keys';
import { type Placement, placementOf, samePlacement } from '../../../domain/placement';
import type { PlannedRecovery } from '../../../domain/recovery';
import { readPolicy } from '../rows/job-data';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { readPlainTrigger } from '../rows/read-rows';
import { jobKeyColumns, keyList, triggerKeyOf } from '../rows/rows';
import { writeRows } from '../runtime/row-batches';
import type { Extension, OrphanedFirings } from './extension';
import type { JobDraft, ScheduleDraft, TriggerDraft } from './schedule-draft';
import { selectTriggerKeys, selectTriggerRows, type TriggerName } from './select-definitions';

/*
 * Placements: one row of QRTZ_X_PLACES for each trigger that only some nodes may fire. The row is written and deleted together with the trigger.
 * Queries for due triggers join this table, so that a node reads no triggers placed on other nodes.
 */

/** A trigger with its placement; null if any node may fire the trigger. */
interface PlacedTrigger {
  readonly key: TriggerKey;
  readonly placement: Placement | null;
}

export const PLACES: Extension = {
  stored: savePlacesOf,
  isRequeued: ({ jobs }) => [...jobs.values()].some(isPlacedAnew),
  async removed(tx, triggers) {
    const placed = triggers.filter(({ firing }) => firing === null || placementOf(firing) !== null);
    const keys = placed.map(({ key }) => key);
    await deletePlaces(tx, keys);
  },
  async recovered(tx, orphaned, recoveries) {
    await placeRecoveries(tx, orphaned, recoveries);
  },
};

/** Writes the placements of triggers, and deletes the rows of triggers without one. Sends no statement for an empty list. */
export async function savePlaces(tx: NodeTransaction, triggers: readonly PlacedTrigger[]) {
  const placed = triggers.flatMap(({ key, placement }) => (placement === null ? [] : [placeRow(key, placement)]));
  const others = triggers.filter(({ placement }) => placement === null).map(({ key }) => keyList(key));
  await Promise.all([writeRows(tx, 'upsertPlaces', placed), writeRows(tx, 'deletePlaces', others)]);
}

function placeRow(key: TriggerKey, { runsOn, prefers, fallbackAfter }: Placement) {
  return [...keyList(key), JSON.stringify(runsOn), JSON.stringify(prefers), fallbackAfter] as const;
}

/** Writes the placements of triggers that a change set writes or deletes, and of all triggers of jobs whose own placement changes. */
async function savePlacesOf(tx: NodeTransaction, draft: ScheduleDraft): Promise<void> {
  const ofTriggers = [...draft.triggers.values()].flatMap((trigger) => changedPlace(draft, trigger));
  const replaced = [...draft.jobs.values()].filter(isPlacedAnew);
  const ofJobs = replaced.length === 0 ? [] : await placesOfJobs(tx, replaced);
  await savePlaces(tx, [...ofJobs, ...ofTriggers]);
}

/** Returns an array with the trigger and its new placement. The array is empty if nothing must be written. */
function changedPlace(draft: ScheduleDraft, { key, before, now, isWritten }: TriggerDraft): readonly PlacedTrigger[] {
  if (before === null && now === null) return [];
  if (now !== null && (!isWritten || now.trigger === null)) return [];
  const trigger = now?.trigger ?? null;
  const jobDetail = trigger === null ? null : (draft.job(trigger.jobKey)?.detail ?? {});
  const placement = trigger === null || jobDetail === null ? null : placementOf({ trigger, jobDetail });
  return placement === null && !mayBePlaced(draft, before) ? [] : [{ key, placement }];
}

/** True if the trigger may have a stored placement. Also true if this is unknown because the trigger or its job was not read in full. */
function mayBePlaced(draft: ScheduleDraft, before: TriggerDraft['before']): boolean {
  if (before === null) return false;
  const job = draft.jobDraft(before.jobKey);
  if (before.trigger === null || (job.before !== null && job.stored === null)) return true;
  return placementOf({ trigger: before.trigger, jobDetail: job.stored ?? {} }) !== null;
}

/** True if the job's own placement changes. This placement applies to all triggers of the job that have no placement of their own. */
function isPlacedAnew({ before, stored, written }: JobDraft): boolean {
  if (before === null || written === null) return false;
  return !samePlacement(
    placementOf({ trigger: {}, jobDetail: stored ?? {} }),
    placementOf({ trigger: {}, jobDetail: written }),
  );
}

async function placesOfJobs(tx: NodeTransaction, jobs: readonly JobDraft[]) {
  const places: PlacedTrigger[] = [];
  for (const { key, written } of jobs) {
    const keys = await selectTriggerKeys(tx, 'selectTriggersOfJobs', [jobKeyColumns(key)]);
    for (const row of await selectTriggerRows(tx, keys)) {
      const trigger = readPlainTrigger(row, tx.node) ?? {};
      places.push({ key: triggerKeyOf(row), placement: placementOf({ trigger, jobDetail: written ?? {} }) });
    }
  }
  return places;
}

export function deletePlaces(tx: NodeTransaction, keys: readonly TriggerKey[]): Promise<number> {
  return writeRows(tx, 'deletePlaces', keys.map(keyList));
}

/** Returns at most `limit` triggers whose placement is stored although a Java node has deleted the trigger. */
export async function findStalePlaces(reader: NodeReader, limit: number): Promise<readonly TriggerKey[]> {
  return (await reader.all<TriggerName>('selectStalePlaces', { limit })).map(triggerKeyOf);
}

/** Stores the placement of each recovery, which is the placement of the recovered run. */
async function placeRecoveries(
  tx: NodeTransaction,
  { firings, storedData, jobRows }: OrphanedFirings,
  recoveries: readonly PlannedRecovery[],
): Promise<void> {
  const places = recoveries.flatMap(({ trigger: { key } }) => {
    const runId = key.name.slice('recover_'.length);
    const index = firings.findIndex((firing) => firing.runId === runId);
    const trigger = { policy: readPolicy(storedData.get(runId) ?? null) };
    const jobDetail = { policy: readPolicy(jobRows[index]?.DETAIL_DATA ?? null) };
    const placement = placementOf({ trigger, jobDetail });
    return placement === null ? [] : [{ key, placement }];
  });
  await savePlaces(tx, places);
}
