import type { EpochMs } from '../../../base/clock';
import {
  type FiringParts,
  mayFireAsStored,
  planFiring,
  stateAfterFiring,
  type TriggerFiring,
} from '../../../domain/firing';
import type { ApplyOptions, FireNow } from '../../job-store';
import { keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { ScheduleDraft, TriggerDraft } from './schedule-draft';
import { type FiredRows, firingFlags } from './write-firings';

/**
 * Fires in the draft what the change set adds and is due: such triggers are stored as their firing leaves them, and their
 * fired rows are to be stored with them. Only new triggers without a calendar, of jobs that may run concurrently: nobody else
 * knows them yet, and nothing else decides whether they fire. Nothing, when that is more than `fireNow` allows.
 */
export function fireOnSchedule(
  draft: ScheduleDraft,
  node: SqlNode,
  options: ApplyOptions,
  { maxCount, jobTypes }: FireNow,
): readonly TriggerFiring[] {
  const isForUs = ({ trigger, jobDetail }: FiringParts) =>
    jobTypes.includes(jobDetail.jobType) &&
    !node.rejectedTriggers.has(trigger.key) &&
    mayFireAsStored(trigger, jobDetail, options);
  const due = [...draft.triggers.values()].flatMap((each) => addedParts(draft, each)).filter(isForUs);
  if (due.length > maxCount) return [];
  const fired = due.map((parts) => tryToFire(parts, node.newFireInstanceId(), options.now));
  const firings = fired.filter((firing) => firing !== null);
  for (const firing of firings) draft.putTrigger(firing.trigger, stateAfterFiring(firing));
  return firings;
}

/** A waiting trigger that the change set adds, with its job. */
function addedParts(draft: ScheduleDraft, { before, now, isWritten }: TriggerDraft): readonly FiringParts[] {
  if (before !== null || !isWritten || now?.state !== 'WAITING' || now.trigger === null) return [];
  const jobDetail = draft.job(now.jobKey)?.detail ?? null;
  return jobDetail === null ? [] : [{ trigger: now.trigger, jobDetail, calendar: null }];
}

/** Null: it cannot be computed. It waits then like any other trigger, and the node that acquires it reports it. */
function tryToFire(parts: FiringParts, fireInstanceId: string, now: EpochMs): TriggerFiring | null {
  try {
    return planFiring(parts, fireInstanceId, now);
  } catch {
    return null;
  }
}

/** The fired rows of that. */
export function promptRows(fired: readonly TriggerFiring[], now: EpochMs): FiredRows {
  return { statement: 'insertImmediateFirings', now, rows: fired.map(promptRow) };
}

function promptRow(firing: TriggerFiring) {
  const { trigger, jobDetail, fireInstanceId, scheduledFireTime } = firing;
  const reservation = [...keyList(trigger.key), fireInstanceId, scheduledFireTime, trigger.priority] as const;
  return [...reservation, ...firingFlags(firing), ...keyList(jobDetail.key)];
}
