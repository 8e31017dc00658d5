import type { EpochMs } from '../../../base/clock';
import type { TriggerFiring } from '../../../domain/firing';
import type { ScheduleChange, ScheduleOutcome } from '../../../domain/schedule-change';
import type { ApplyOptions, FiringOffer } from '../../job-store';
import { keyList } from '../rows';
import { applyChanges } from '../schedule-draft/apply-change';
import { firePromptly } from '../schedule-draft/fire-promptly';
import { loadDraft } from '../schedule-draft/load-draft';
import { saveDraft } from '../schedule-draft/save-draft';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { firedRows, firingFlags } from './plan-firings';

/** What a change set did. */
export interface AppliedChanges {
  readonly outcomes: readonly ScheduleOutcome[];
  /** What was added and fired at once. */
  readonly fired: readonly TriggerFiring[];
  /** The earliest fire time that came within reach; null: not known which; undefined: none did. */
  readonly earliest: EpochMs | null | undefined;
}

/**
 * Applies a change set, all of it or nothing: read, decide in memory, write. To be run under TRIGGER_ACCESS. Fires what `offer`
 * allows, and throws `LifeEnded` when the node may fire nothing.
 */
export async function applySchedule(
  tx: SqlTransaction,
  node: SqlNode,
  changes: readonly ScheduleChange[],
  { offer, ...options }: ApplyOptions & { readonly offer?: FiringOffer },
): Promise<AppliedChanges> {
  const draft = await loadDraft(tx, node, changes);
  const outcomes = applyChanges(draft, changes, options);
  const fired = offer === undefined ? [] : firePromptly(draft, node, options, offer);
  const rows = firedRows('insertPromptFirings', { node, now: options.now }, fired.map(promptRow));
  const earliest = await saveDraft(tx, node, draft, rows);
  return { outcomes, fired, earliest };
}

function promptRow(firing: TriggerFiring) {
  const { trigger, jobDetail, fireInstanceId, scheduledFireTime } = firing;
  const reservation = [...keyList(trigger.key), fireInstanceId, scheduledFireTime, trigger.priority] as const;
  return [...reservation, ...firingFlags(firing), ...keyList(jobDetail.key)];
}
