import type { EpochMs } from '../../../base/clock';
import type { TriggerFiring } from '../../../domain/firing';
import type { ScheduleChange, ScheduleOutcome } from '../../../domain/schedule-change';
import type { ApplyScheduleOptions } from '../../job-store';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import { isGroupPaused } from './paused-groups';
import { applyChanges } from './schedule-draft/apply-change';
import { fireOnSchedule, promptRows } from './schedule-draft/fire-on-schedule';
import { loadDraft } from './schedule-draft/load-draft';
import type { NamesInChanges } from './schedule-draft/names-in-changes';
import { saveDraft } from './schedule-draft/save-draft';
import { ScheduleDraft } from './schedule-draft/schedule-draft';
import { type StoredNames, selectStored } from './schedule-draft/select-stored';

/** A change set, and what it names. */
export interface NamedChanges {
  readonly changes: readonly ScheduleChange[];
  readonly names: NamesInChanges;
}

/** What a change set did. */
export interface AppliedChanges {
  readonly outcomes: readonly ScheduleOutcome[];
  /** What was added and fired at once. */
  readonly fired: readonly TriggerFiring[];
  /** The earliest fire time that came within reach; null: not known which; undefined: none did. */
  readonly earliest: EpochMs | null | undefined;
}

/** Not everything that a change set adds is as new as it was taken for: what is stored must be read before it is applied. */
export class NotAllNew extends Error {}

/**
 * Applies a change set, all of it or nothing: read, decide in memory, write. To be run under TRIGGER_ACCESS. Fires what `fireNow`
 * allows, and throws `NodeFencedError` when the node may fire nothing.
 */
export async function applySchedule(
  tx: SqlTransaction,
  node: SqlNode,
  { changes, names }: NamedChanges,
  options: ApplyScheduleOptions,
): Promise<AppliedChanges> {
  return applyTo(tx, node, await loadDraft(tx, node, names), { ...options, changes });
}

/**
 * As `applySchedule`, for a change set that only adds (`addsOnly`), and at once: it is written as if nothing of it were stored,
 * and none of its groups paused, while the database is asked whether that is so. Throws `NotAllNew` where it is not.
 */
export async function addToSchedule(
  tx: SqlTransaction,
  node: SqlNode,
  { changes, names }: NamedChanges,
  options: ApplyScheduleOptions,
): Promise<AppliedChanges> {
  const [stored, applied] = await Promise.allSettled([
    selectStored(tx, node, names),
    applyTo(tx, node, new ScheduleDraft(new Set()), { ...options, changes }),
  ]);
  if (stored.status === 'rejected') throw stored.reason;
  if (!isAllNew(stored.value, names)) throw new NotAllNew();
  if (applied.status === 'rejected') throw applied.reason;
  return applied.value;
}

async function applyTo(
  tx: SqlTransaction,
  node: SqlNode,
  draft: ScheduleDraft,
  { changes, fireNow, ...options }: ApplyScheduleOptions & Pick<NamedChanges, 'changes'>,
): Promise<AppliedChanges> {
  const outcomes = applyChanges(draft, changes, options);
  const fired = fireNow ? fireOnSchedule(draft, node, options, fireNow) : [];
  const earliest = await saveDraft(tx, node, draft, promptRows(fired, options.now));
  return { outcomes, fired, earliest };
}

function isAllNew({ triggers, jobs, pausedGroups }: StoredNames, { newTriggers }: NamesInChanges): boolean {
  if (triggers.length > 0 || jobs.length > 0) return false;
  return newTriggers.every(({ group }) => !isGroupPaused(pausedGroups, group));
}
