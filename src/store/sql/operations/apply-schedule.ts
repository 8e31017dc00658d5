import type { EpochMs } from '../../../base/clock';
import type { ScheduleChange, ScheduleOutcome } from '../../../domain/schedule-change';
import type { ApplyOptions } from '../../job-store';
import { applyChanges } from '../schedule-draft/apply-change';
import { loadDraft } from '../schedule-draft/load-draft';
import { saveDraft } from '../schedule-draft/save-draft';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';

/** What a change set did. */
export interface AppliedChanges {
  readonly outcomes: readonly ScheduleOutcome[];
  /** The earliest fire time that came within reach; null: not known which; undefined: none did. */
  readonly earliest: EpochMs | null | undefined;
}

/** Applies a change set, all of it or nothing: read, decide in memory, write. To be run under TRIGGER_ACCESS. */
export async function applySchedule(
  tx: SqlTransaction,
  node: SqlNode,
  changes: readonly ScheduleChange[],
  options: ApplyOptions,
): Promise<AppliedChanges> {
  const draft = await loadDraft(tx, node, changes);
  const outcomes = applyChanges(draft, changes, options);
  return { outcomes, earliest: await saveDraft(tx, node, draft) };
}
