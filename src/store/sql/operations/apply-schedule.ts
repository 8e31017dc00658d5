import { type EpochMs, earliestOf } from '../../../base/clock';
import { inSlices } from '../../../base/steps';
import { TimeSlice } from '../../../base/yield-to-event-loop';
import { applyChanges } from '../../../domain/apply-changes';
import {
  type FiringParts,
  followed,
  mayFireAsStored,
  planFiring,
  stateAfterFiring,
  type TriggerFiring,
} from '../../../domain/firing';
import { groupLimitOf } from '../../../domain/group-limits';
import { distinctKeys, type JobKey, keyText } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import { takes } from '../../../domain/placement';
import { type PlannedChange, planningChanges } from '../../../domain/plan-changes';
import type { RunName } from '../../../domain/run';
import type { ScheduleChange, ScheduleOutcome } from '../../../domain/schedule-change';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { ApplyOptions, ApplyScheduleOptions, FireNow } from '../../job-store';
import { keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { RowTarget } from '../rows/unreadable-rows';
import type { CommitTokens } from '../runtime/commit-tokens';
import type { SqlTransaction } from '../runtime/sql-driver';
import { EXTENSIONS } from './extensions';
import { type FiredRows, firingFlags } from './firings';
import { loadDraft, type StoredNames, selectStored } from './load-draft';
import { endDeletedRuns, endLostParts } from './lost-parts';
import { addsOnly, concernsMany, type NamesInChanges, namesIn } from './names-in-changes';
import { isGroupPaused } from './paused-groups';
import { saveDraft } from './save-draft';
import { ScheduleDraft, type TriggerDraft } from './schedule-draft';

/** Number of changes above which a change set runs with `pausesLong`, because it may compute for a long time between two statements. */
const MANY = 1_000;

export interface AppliedChanges {
  readonly outcomes: readonly ScheduleOutcome[];
  /** Firings of triggers that the change set added and fired immediately. */
  readonly fired: readonly TriggerFiring[];
  /** Earliest fire time of the triggers that became eligible to fire. Null if unknown, undefined if there are none. */
  readonly earliest: EpochMs | null | undefined;
  readonly endedOccurrences: readonly SpreadOccurrence[];
  readonly endedRuns: readonly RunName[];
}

/** Thrown if a change set that only adds finds an existing object or a paused group. The change set must then be applied to the loaded objects. */
export class NotAllNew extends Error {}

/**
 * Applies a change set atomically under TRIGGER_ACCESS: loads the objects it names, changes them in memory, and writes the result. A change set
 * that only adds is first written without loading its objects. Fires new triggers within the limits of `fireNow`. Throws `NodeFencedError` if
 * the node may not fire.
 */
export async function applySchedule(
  transactions: CommitTokens,
  node: SqlNode,
  changes: readonly ScheduleChange[],
  options: ApplyScheduleOptions,
): Promise<AppliedChanges> {
  const names = { ...namesIn(changes, options.author !== undefined), followable: followableJobs(changes, options) };
  const pausesLong = changes.length > MANY || concernsMany(names);
  const applyTo = async (tx: SqlTransaction, draft: ScheduleDraft) => {
    const outcomes = applyChanges(draft, changes, options);
    const fired = options.fireNow
      ? fireOnSchedule(draft, node, options, { ...options.fireNow, jobs: names.followable })
      : [];
    for (const extension of EXTENSIONS) await extension.storing?.(tx, node, draft);
    const earliest = await saveDraft(tx, node, draft, promptRows(fired, options.now));
    const deleted = await endDeletedRuns(tx, node, draft.deletedRuns, options.now);
    const lost = await endLostParts(tx, node, jobsLosingParts(draft), options.now);
    const times = [earliest ?? null, deleted.earliest ?? null, lost.earliest ?? null];
    const reached = earliest === null ? null : earliestOf(times);
    return { outcomes, fired, earliest: reached, endedOccurrences: lost.ended, endedRuns: deleted.endedRuns };
  };
  if (addsOnly(names)) {
    try {
      return await transactions.run((tx) => addAsNew(tx, node, names, applyTo), { alwaysChanges: true, pausesLong });
    } catch (error) {
      if (!(error instanceof NotAllNew)) throw error;
    }
  }
  return transactions.run(async (tx) => applyTo(tx, await loadDraft(tx, node, names)), { pausesLong });
}

/** Plans a change set in a read-only transaction, which blocks no other. Yields to the event loop, so that firing on this thread continues. */
export async function planSchedule(
  tx: SqlTransaction,
  node: SqlNode,
  changes: readonly ScheduleChange[],
  options: ApplyOptions,
): Promise<readonly PlannedChange[]> {
  const names = namesIn(changes, options.author !== undefined);
  const draft = await loadDraft(tx, node, names, { isPlan: true });
  return inSlices(planningChanges(draft, changes, options), new TimeSlice(node.clock));
}

/** Writes the objects as new and their groups as not paused, while a query checks both. Throws `NotAllNew` if the query finds otherwise. */
async function addAsNew(
  tx: SqlTransaction,
  node: SqlNode,
  names: NamesInChanges,
  applyTo: (tx: SqlTransaction, draft: ScheduleDraft) => Promise<AppliedChanges>,
): Promise<AppliedChanges> {
  const [stored, applied] = await Promise.allSettled([
    selectStored(tx, node, names),
    applyTo(tx, new ScheduleDraft(new Set())),
  ]);
  if (stored.status === 'rejected') throw stored.reason;
  if (!isAllNew(stored.value, names)) throw new NotAllNew();
  if (applied.status === 'rejected') throw applied.reason;
  const isFollowed = ({ jobDetail }: TriggerFiring) => stored.value.followed.has(keyText(jobDetail.key));
  const fired = applied.value.fired.map((each) => (isFollowed(each) ? followed(each) : each));
  return { ...applied.value, fired };
}

/** Jobs whose further runs were deleted. These may be parts (shards) to recount. Empty if everything is cleared, because no counts remain. */
function jobsLosingParts({ triggers, isCleared }: ScheduleDraft): readonly JobKey[] {
  if (isCleared) return [];
  const lost = [...triggers.values()].flatMap(({ key, before, now }) =>
    before !== null && now === null && isGroupOfFurtherRuns(key.group) ? [before.jobKey] : [],
  );
  return distinctKeys(lost);
}

/** Maximum number of jobs whose followers are looked up. A trigger of any other job does not fire in the transaction that stores it. */
const MAX_FOLLOWABLE = 1_000;

/** Jobs of new triggers that may fire immediately, at most `MAX_FOLLOWABLE`. A firing records whether its job has followers (waiting triggers). */
function followableJobs(changes: readonly ScheduleChange[], { now, fireNow }: ApplyScheduleOptions): readonly JobKey[] {
  if (!fireNow) return [];
  const due = changes.flatMap((change) =>
    change.type === 'storeTrigger' && change.trigger.startTime <= now ? [change.trigger.jobKey] : [],
  );
  return distinctKeys(due).slice(0, MAX_FOLLOWABLE);
}

function isAllNew({ triggers, jobs, pausedGroups }: StoredNames, { newTriggers }: NamesInChanges): boolean {
  if (triggers.length > 0 || jobs.length > 0) return false;
  return newTriggers.every(({ group }) => !isGroupPaused(pausedGroups, group));
}

/**
 * Fires the due triggers that the change set adds. Fires them in the draft, so that each trigger is stored in its state after firing. Only a new
 * trigger without a calendar, whose job allows concurrent execution, fires here. No other node knows this trigger yet, and no other rule can
 * delay it. Fires none if more than `fireNow.maxCount` triggers are due.
 */
function fireOnSchedule(
  draft: ScheduleDraft,
  node: SqlNode,
  options: ApplyOptions,
  { maxCount, jobTypes, jobs, exceptGroups = [] }: FireNow & { readonly jobs: readonly JobKey[] },
): readonly TriggerFiring[] {
  const known = new Set(jobs.map(keyText));
  const isForUs = ({ trigger, jobDetail }: FiringParts) =>
    jobTypes.includes(jobDetail.jobType) &&
    known.has(keyText(jobDetail.key)) &&
    !node.rejectedTriggers.has(trigger.key) &&
    !exceptGroups.includes(jobDetail.key.group) &&
    groupLimitOf(node.policy.groupLimits, jobDetail.key.group) === null &&
    takes(node.scope, { trigger, jobDetail }, options) &&
    mayFireAsStored(trigger, jobDetail, options);
  const due = [...draft.triggers.values()].flatMap((each) => addedParts(draft, each)).filter(isForUs);
  if (due.length > maxCount) return [];
  const followers = new Set([...draft.followed, ...draft.links().flatMap(({ after }) => after.map(keyText))]);
  const fired = due.map((parts) => {
    const hasFollowers = followers.has(keyText(parts.jobDetail.key));
    return tryToFire({ ...parts, hasFollowers }, node.newRunId(), options.now);
  });
  const firings = fired.filter((firing) => firing !== null);
  for (const firing of firings) draft.putTrigger(firing.trigger, stateAfterFiring(firing));
  return firings;
}

/** Array with the waiting trigger that the change set adds, and its job. Empty if it is not new, is not waiting, or has no readable job. */
function addedParts(draft: ScheduleDraft, { before, now, isWritten }: TriggerDraft): readonly FiringParts[] {
  if (before !== null || !isWritten || now?.state !== 'WAITING' || now.trigger === null) return [];
  const jobDetail = draft.job(now.jobKey)?.detail ?? null;
  return jobDetail === null ? [] : [{ trigger: now.trigger, jobDetail, calendar: null }];
}

/** Plans a firing; null if it cannot be computed. The trigger is then stored as waiting, and the node that acquires it reports the error. */
function tryToFire(parts: FiringParts, runId: string, now: EpochMs): TriggerFiring | null {
  try {
    return planFiring(parts, runId, now);
  } catch {
    return null;
  }
}

function promptRows(fired: readonly TriggerFiring[], now: EpochMs): FiredRows {
  const rows = fired.map((firing) => {
    const { trigger, jobDetail, runId, scheduledFireTime } = firing;
    const reservation = [...keyList(trigger.key), runId, scheduledFireTime, trigger.priority];
    return [...reservation, ...firingFlags(firing), ...keyList(jobDetail.key)];
  });
  return { statement: 'insertImmediateFirings', now, rows };
}

export function rowsIn(changes: readonly ScheduleChange[]): readonly RowTarget[] {
  return changes.flatMap((change): readonly RowTarget[] => {
    if (change.type === 'storeJob') return [{ what: 'job', ...change.job.key }];
    if (change.type === 'storeTrigger') return [{ what: 'trigger', ...change.trigger.key }];
    return change.type === 'storeCalendar' ? [{ what: 'calendar', group: null, name: change.name }] : [];
  });
}
