import { type EpochMs, earliestOf } from '../../../base/clock';
import { inSlices } from '../../../base/steps';
import { TimeSlice } from '../../../base/yield-to-event-loop';
import { applyChanges } from '../../../domain/apply-changes';
import {
  type FiringParts,
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
import type { ChangeSet, Outcomes } from '../../../domain/schedule-change';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { ApplyOptions, ApplyScheduleOptions } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { keyList } from '../rows/rows';
import { rulesOf, type SqlNode, withRulesOf } from '../rows/sql-node';
import type { RowTarget } from '../rows/unreadable-rows';
import { EXTENSIONS } from './extensions';
import { type FiredRows, firingFlags } from './firings';
import { loadDraft } from './load-draft';
import { endDeletedRuns, endLostParts } from './lost-parts';
import { recordMissed } from './missed-times';
import { namesIn } from './names-in-changes';
import { saveDraft } from './save-draft';
import type { ScheduleDraft, TriggerDraft } from './schedule-draft';

export interface AppliedChanges {
  readonly outcomes: Outcomes;
  /** Firings of triggers that the change set added and fired immediately. */
  readonly fired: readonly TriggerFiring[];
  /** Earliest fire time of the triggers that became eligible to fire. Null if unknown, undefined if there are none. */
  readonly earliest: EpochMs | null | undefined;
  /** True if the transaction has rung to the other nodes. */
  readonly hasRung?: boolean;
  readonly endedOccurrences: readonly SpreadOccurrence[];
  readonly endedRuns: readonly RunName[];
}

/** A change set of one caller. */
export interface ChangeRequest {
  readonly changes: ChangeSet;
  readonly options: ApplyScheduleOptions;
  /** The node in the incarnation in which the caller made the request. */
  readonly node: SqlNode;
  /** Jobs of new triggers. Their followers (triggers that wait for the job) must be looked up. */
  readonly followable: readonly JobKey[];
}

/** Thrown if one of several requests cannot be applied. */
export class RequestRefused extends Error {
  readonly request: ChangeRequest;

  constructor(request: ChangeRequest, cause: unknown) {
    super('A change set that shares a transaction was refused.', { cause });
    this.request = request;
  }
}

/**
 * Applies requests to the loaded objects, in order, and writes the result. Must run under TRIGGER_ACCESS. Fires new triggers within the limits of
 * each `fireNow`. Times and ends are in the result of the first request. Throws `RequestRefused` for the first request that cannot be applied, and
 * `NodeFencedError` if the node may not fire.
 */
export async function applyRequests(
  tx: NodeTransaction,
  draft: ScheduleDraft,
  requests: readonly [ChangeRequest, ...ChangeRequest[]],
): Promise<readonly AppliedChanges[]> {
  const applied = requests.map((request) => {
    try {
      const options = withRulesOf(tx.node, request.options);
      return { outcomes: applyChanges(draft, request.changes, options), fired: fireOnSchedule(draft, request) };
    } catch (error) {
      throw new RequestRefused(request, error);
    }
  });
  const now = requests.reduce((latest, { options }) => Math.max(latest, options.now), 0);
  const fired = promptRows(
    applied.flatMap((each) => each.fired),
    now,
  );
  const effects = await save(tx, draft, fired);
  return applied.map((each, index) => Object.assign(each, index === 0 ? effects : NO_EFFECTS));
}

type Effects = Pick<AppliedChanges, 'earliest' | 'endedOccurrences' | 'endedRuns'>;

const NO_EFFECTS: Effects = { earliest: undefined, endedOccurrences: [], endedRuns: [] };

async function save(tx: NodeTransaction, draft: ScheduleDraft, fired: FiredRows): Promise<Effects> {
  if (draft.changesStored) await tx.run('advanceScheduleVersion');
  if (draft.isPlainAddition) return { ...NO_EFFECTS, earliest: await saveDraft(tx, draft, fired) };
  for (const extension of EXTENSIONS) await extension.storing?.(tx, draft);
  const earliest = await saveDraft(tx, draft, fired);
  const deleted = await endDeletedRuns(tx, draft.deletedRuns, fired.now);
  await recordMissed(tx, draft.missed, fired.now);
  const lost = await endLostParts(tx, jobsLosingParts(draft), fired.now);
  const times = [earliest ?? null, deleted.earliest ?? null, lost.earliest ?? null];
  return {
    earliest: earliest === null ? null : earliestOf(times),
    endedOccurrences: lost.ended,
    endedRuns: deleted.endedRuns,
  };
}

/** Plans a change set in a read-only transaction, which blocks no other. Yields to the event loop, so that firing on this thread continues. */
export async function planSchedule(
  tx: NodeTransaction,
  changes: ChangeSet,
  options: ApplyOptions,
): Promise<readonly PlannedChange[]> {
  const names = namesIn(changes, options.author !== undefined);
  const draft = await loadDraft(tx, names, { isPlan: true, now: options.now });
  return inSlices(planningChanges(draft, changes, withRulesOf(tx.node, options)), new TimeSlice(tx.node.clock));
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
export function followableJobs(changes: ChangeSet, { now, fireNow }: ApplyScheduleOptions): readonly JobKey[] {
  if (!fireNow) return [];
  const due = changes.flatMap((change) =>
    change.type === 'storeTrigger' && change.trigger.startTime <= now ? [change.trigger.jobKey] : [],
  );
  return distinctKeys(due).slice(0, MAX_FOLLOWABLE);
}

/**
 * Fires the due triggers that the change set adds. Fires them in the draft, so that each trigger is stored in its state after firing. Only a new
 * trigger without a calendar, whose job allows concurrent execution, fires here. No other node knows this trigger yet, and no other rule can
 * delay it. Fires none if more than `fireNow.maxCount` triggers are due.
 */
function fireOnSchedule(
  draft: ScheduleDraft,
  { changes, options, node, followable }: ChangeRequest,
): readonly TriggerFiring[] {
  if (!options.fireNow) return [];
  const { maxCount, jobTypes, exceptGroups = [] } = options.fireNow;
  const known = new Set(followable.map(keyText));
  const isForUs = ({ trigger, jobDetail }: FiringParts) =>
    jobTypes.includes(jobDetail.jobType) &&
    known.has(keyText(jobDetail.key)) &&
    !node.rejectedTriggers.has(trigger.key) &&
    !exceptGroups.includes(jobDetail.key.group) &&
    groupLimitOf(node.policy.groupLimits, jobDetail.key.group) === null &&
    takes(node.scope, { trigger, jobDetail }, options) &&
    mayFireAsStored(trigger, jobDetail, options);
  const stored = new Set(changes.flatMap((each) => (each.type === 'storeTrigger' ? [keyText(each.trigger.key)] : [])));
  const due = [...stored].flatMap((text) => addedParts(draft, draft.triggers.get(text))).filter(isForUs);
  if (due.length > maxCount) return [];
  const followers = new Set([...draft.followed, ...draft.links().flatMap(({ after }) => after.map(keyText))]);
  const fired = due.map((parts) => {
    const hasFollowers = followers.has(keyText(parts.jobDetail.key));
    return tryToFire({ ...parts, hasFollowers }, node, options.now);
  });
  const firings = fired.filter((firing) => firing !== null);
  for (const firing of firings) draft.putTrigger(firing.trigger, stateAfterFiring(firing));
  return firings;
}

/** Array with the waiting trigger that the change set adds, and its job. Empty if it is not new, is not waiting, or has no readable job. */
function addedParts(draft: ScheduleDraft, added: TriggerDraft | undefined): readonly FiringParts[] {
  const { before, now, isWritten } = added ?? {};
  if (before !== null || !isWritten || now?.state !== 'WAITING' || now.trigger === null) return [];
  const jobDetail = draft.job(now.jobKey)?.detail ?? null;
  return jobDetail === null ? [] : [{ trigger: now.trigger, jobDetail, calendar: null }];
}

/** Plans a firing; null if it cannot be computed. The trigger is then stored as waiting, and the node that acquires it reports the error. */
function tryToFire(parts: FiringParts, node: SqlNode, now: EpochMs): TriggerFiring | null {
  try {
    return planFiring(parts, node.newRunId(), { now, ...rulesOf(node) });
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

export function rowsIn(changes: ChangeSet): readonly RowTarget[] {
  return changes.flatMap((change): readonly RowTarget[] => {
    if (change.type === 'storeJob') return [{ what: 'job', ...change.job.key }];
    if (change.type === 'storeTrigger') return [{ what: 'trigger', ...change.trigger.key }];
    return change.type === 'storeCalendar' ? [{ what: 'calendar', group: null, name: change.name }] : [];
  });
}
