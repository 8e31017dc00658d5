import type { EpochMs } from '../../../../base/clock';
import { mayFireAsStored, planFiring, stateAfterFiring, type TriggerFiring } from '../../../../domain/firing';
import type { JobDetail } from '../../../../domain/job-detail';
import type { Trigger } from '../../../../domain/trigger';
import type { ApplyOptions, FireNow } from '../../../job-store';
import { keyList } from '../../rows/rows';
import type { SqlNode } from '../../rows/sql-node';
import { type FiredRows, firingFlags } from '../write-firings';
import type { ScheduleDraft, TriggerDraft, TriggerNow } from './schedule-draft';

/** A trigger that the change set adds and that can be fired as it is stored. */
interface Prompt {
  readonly draft: TriggerDraft & { now: TriggerNow };
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
}

/**
 * Fires in the draft what the change set adds and is due: such triggers are stored as their firing leaves them, and their
 * fired rows are to be stored with them. Only new triggers without a calendar, of jobs that may run concurrently: nobody else
 * knows them yet, and nothing else decides whether they fire. Nothing, when that is more than `fireNow` allows.
 */
export function fireOnSchedule(
  draft: ScheduleDraft,
  node: SqlNode,
  options: ApplyOptions,
  fireNow: FireNow,
): readonly TriggerFiring[] {
  const due = [...draft.triggers.values()].flatMap((each) => promptOf(each, { draft, node, options, fireNow }));
  if (due.length > fireNow.maxCount) return [];
  return due.flatMap((prompt) => {
    const { draft: each } = prompt;
    const firing = tryToFire(prompt, node.newFireInstanceId(), options.now);
    if (firing === null) return [];
    each.now = { ...each.now, trigger: firing.trigger, state: stateAfterFiring(firing) };
    return [firing];
  });
}

/** Null: it cannot be computed. It waits then like any other, and whoever acquires it tells. */
function tryToFire({ trigger, jobDetail }: Prompt, fireInstanceId: string, now: EpochMs): TriggerFiring | null {
  try {
    return planFiring({ trigger, jobDetail, calendar: null }, fireInstanceId, now);
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

function promptOf(
  each: TriggerDraft,
  {
    draft,
    node,
    options,
    fireNow,
  }: {
    readonly draft: ScheduleDraft;
    readonly node: SqlNode;
    readonly options: ApplyOptions;
    readonly fireNow: FireNow;
  },
): readonly Prompt[] {
  const { before, now, isWritten } = each;
  const trigger = now?.trigger ?? null;
  if (before !== null || !isWritten || now?.state !== 'WAITING' || trigger === null) return [];
  const job = draft.job(trigger.jobKey);
  const jobDetail = job?.written ?? job?.stored ?? null;
  if (jobDetail === null || !mayFireAsStored(trigger, jobDetail, options)) return [];
  const isForUs = fireNow.jobTypes.includes(jobDetail.jobType) && !node.rejectedTriggers.has(trigger.key);
  return isForUs ? [{ draft: each as Prompt['draft'], trigger, jobDetail }] : [];
}
