import type { EpochMs } from '../../base/clock';
import { isDue, takeBatch } from '../../domain/acquisition';
import { LimitCapacity } from '../../domain/batch-limiter';
import { checkpointKeyText } from '../../domain/checkpoint';
import {
  type Completion,
  type EndedRun,
  endOfParts,
  endsOfParts,
  losesParts,
  planCompletion,
  type RunEnd,
  recordOfEnd,
  wantedRuns,
} from '../../domain/completion';
import {
  type AcquiredTrigger,
  type FireResult,
  type FiringTerms,
  planFiring,
  refusalReason,
  type TriggerFiring,
} from '../../domain/firing';
import { freedLimits } from '../../domain/freed-limits';
import { GroupCapacity } from '../../domain/group-limits';
import type { JobKey } from '../../domain/keys';
import { demandOf } from '../../domain/limit-claims';
import { misfireTime } from '../../domain/misfire';
import { isRunHeld, pausedTriggerOf } from '../../domain/pause';
import { mayTake } from '../../domain/placement';
import { planReruns } from '../../domain/retry';
import { isRerunnable } from '../../domain/run-detail';
import type { SpreadOccurrence } from '../../domain/spread-occurrence';
import type { SimpleTrigger } from '../../domain/trigger';
import { restingState } from '../../domain/trigger-state';
import type {
  AcquireRequest,
  AcquireResult,
  CompletionOutcome,
  FailedRunResolution,
  OccurrenceSweep,
  OccurrenceSweepRequest,
} from '../job-store';
import { Candidates, FallbackTriggers } from './candidates';
import { endCheckpoint } from './checkpoints';
import { deleteOrphan } from './ended-triggers';
import { partsOf, stateOf, type TriggerEntry } from './entries';
import { meetExpectations } from './expectations';
import type { MemoryTables } from './memory-tables';
import { startFurtherRuns } from './occurrence-ends';
import { endParts, recountOccurrences, recountPartsOf } from './parts';
import { ripenTurns, saveRates } from './rate-turns';
import { calendarOf, toStoredTrigger } from './read-schedule';

/** Reserves the triggers of one batch. Fires them immediately if the request allows it and the first trigger is due within `fireWithin`. */
export function acquireTriggers(tables: MemoryTables, request: AcquireRequest, newRunId: () => string): AcquireResult {
  const { now, fireWithin } = request;
  const fireBy = fireWithin === null ? Number.NEGATIVE_INFINITY : now + fireWithin;
  ripenTurns(tables, now);
  const fallback = new FallbackTriggers(tables, request);
  const capacity = capacityFor(tables, request);
  for (;;) {
    const due = tables.due.acquirable(request.jobTypes, { now, misfireTime: misfireTime(request) }, capacity);
    const candidates = new Candidates(tables, due, { fireBy, now, fallback, capacity });
    const batch = takeBatch(candidates, request);
    for (const entry of batch) tables.reserve(entry, newRunId());
    due.end();
    candidates.saveRates();
    const [first] = batch;
    if (first === undefined && candidates.hasRefused) continue; // the refused trigger may have hidden other triggers of its job
    const pollAgain = fallback.giveBack();
    if (first === undefined || !isDue(first.trigger, fireBy, 0))
      return { acquired: batch.map(toAcquired), fired: [], ...pollAgain };
    return {
      acquired: [],
      fired: batch.map((entry) => fire(tables, entry, now, candidates.termsOf(entry))),
      ...pollAgain,
    };
  }
}

/** Returns the capacity that group limits leave for a batch; null if no group has a limit. Moves the jobs of these groups to separate queues. */
function capacityFor(tables: MemoryTables, { groupCapacity }: AcquireRequest): GroupCapacity | null {
  if (groupCapacity === undefined) return null;
  const capacity = new GroupCapacity(groupCapacity);
  for (const group of capacity.groups) tables.due.separate(group, tables.jobGroups.members(group));
  return capacity;
}

/** Releases acquired triggers that are still reserved by this acquisition. Every change of a trigger ends its reservation. */
export function releaseTriggers(tables: MemoryTables, acquired: readonly AcquiredTrigger[]): void {
  for (const { trigger, runId } of acquired) {
    const entry = tables.trigger(trigger.key);
    if (entry?.runId === runId) tables.move(entry, 'release');
  }
}

export function fireTriggers(
  tables: MemoryTables,
  acquired: readonly AcquiredTrigger[],
  now: EpochMs,
): readonly FireResult[] {
  return acquired.map((reservation): FireResult => {
    const entry = tables.trigger(reservation.trigger.key);
    if (entry?.runId === reservation.runId) return fireReserved(tables, entry, reservation, now);
    const stored = entry === null ? null : toStoredTrigger(entry);
    return { status: 'notFired', acquired: reservation, reason: refusalReason(reservation, stored) };
  });
}

/** Fires a reserved trigger. If the job must now run on other nodes, releases the trigger. If a limit is exhausted, makes the trigger wait. */
function fireReserved(
  tables: MemoryTables,
  entry: TriggerEntry,
  reservation: AcquiredTrigger,
  now: EpochMs,
): FireResult {
  const candidate = partsOf(entry);
  if (!mayTake(tables.due.scope, candidate)) {
    tables.move(entry, 'release');
    return { status: 'notFired', acquired: reservation, reason: 'elsewhere' };
  }
  const demand = demandOf(candidate, tables.groupLimits);
  if (demand === null) return fire(tables, entry, now);
  const limits = new LimitCapacity(tables.limits, now);
  const verdict = limits.admit(candidate, demand);
  saveRates(tables, limits.rateChanges(), now);
  if (verdict.status === 'taken') return fire(tables, entry, now, verdict.terms ?? undefined);
  tables.endReservation(entry);
  tables.refuse(entry, verdict);
  return { status: 'notFired', acquired: reservation, reason: 'blocked' };
}

function fire(tables: MemoryTables, entry: TriggerEntry, now: EpochMs, terms: FiringTerms = {}): FireResult {
  const { trigger, job, runId } = entry;
  let firing: TriggerFiring;
  try {
    const hasFollowers = tables.followers.has(job.keyText);
    const { firstDueTime } = entry;
    const calendar = calendarOf(tables, trigger);
    const parts = { trigger, jobDetail: job.detail, calendar, firstDueTime, hasFollowers };
    firing = planFiring(parts, runId ?? '', { now, rules: tables.rules }, terms);
  } catch {
    // If the fire times of one trigger cannot be computed, the rest of the batch must still fire.
    const acquired = toAcquired(entry);
    tables.updateTrigger(entry, trigger, 'ERROR');
    return { status: 'notFired', acquired, reason: 'invalid' };
  }
  tables.startExecution(entry, firing, terms);
  return { status: 'fired', firing };
}

function toAcquired({ trigger, runId }: TriggerEntry): AcquiredTrigger {
  return { trigger, runId: runId ?? '' };
}

const FENCED: CompletionOutcome = { status: 'fenced', deletedTrigger: false, deletedJob: false };
const COMPLETED: CompletionOutcome = { status: 'completed', deletedTrigger: false, deletedJob: false };
const TRIGGER_DELETED: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: false };
const BOTH_DELETED: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: true };

export function completeTrigger(tables: MemoryTables, completion: Completion): CompletionOutcome {
  const execution = tables.endExecution(completion.firing.runId);
  if (execution === null) return FENCED;
  const { job } = execution;
  if (completion.jobData !== undefined && job.detail.persistJobDataAfterExecution) {
    tables.replaceJob(job, { ...job.detail, data: completion.jobData });
  }
  // The trigger may have been deleted and stored again since it fired.
  const entry = execution.entry.isStored ? execution.entry : (tables.triggers.get(execution.entry.keyText) ?? null);
  const plan = planCompletion(completion, entry === null ? null : entry.trigger);
  if (plan.scope === 'job') for (const each of job.triggers.toArray()) tables.move(each, plan.action);
  // Triggers of further runs, such as retries, are stored after the instruction was applied, because it does not concern them. They also prevent a
  // non-durable job from being deleted.
  const wanted = wantedRuns(completion, entry !== null);
  const notStored = (completion.further ?? []).filter(
    (trigger) => !wanted.includes(trigger) || !storeFurtherRun(tables, trigger, isHeldByOrigin(tables, trigger)),
  );
  const record = recordOfEnd(completion, (key) => notStored.every((each) => each.key !== key));
  if (record !== undefined) tables.runs.add(record);
  if (completion.parts !== undefined && notStored.length === 0) beginOccurrence(tables, completion, completion.parts);
  const endedOccurrence = completion.end === undefined ? null : endRun(tables, completion, completion.end);
  const outcome = plan.scope === 'trigger' && entry !== null ? endTrigger(tables, entry, plan.action) : COMPLETED;
  const endTime = completion.end?.endTime ?? completion.run?.endTime ?? completion.firing.fireTime;
  const lost = losesParts(completion, notStored.length > 0) ? endLostParts(tables, [job.detail.key], endTime) : [];
  const ended = endedOccurrence === null ? lost : [endedOccurrence, ...lost];
  return {
    ...outcome,
    ...(notStored.length > 0 && { notStored: notStored.map(({ key }) => key) }),
    ...(ended.length > 0 && { endedOccurrences: ended }),
  };
}

function beginOccurrence(tables: MemoryTables, completion: Completion, parts: SpreadOccurrence): void {
  const { passedOn } = freedLimits([completion], { started: new Set([parts]), ended: new Map() });
  tables.occurrences.set(parts.id, parts);
  for (const { to } of passedOn) tables.limits.hold(to); // the occurrence replaces the firing that began it
}

/** Returns the occurrence whose last part (shard) has ended with the run; null otherwise. */
function endRun(tables: MemoryTables, completion: Completion, { endTime }: RunEnd): SpreadOccurrence | null {
  const ended = endParts(tables, completion);
  const occurrences = ended === null ? [] : [endOfParts(ended, endTime)];
  for (const trigger of startFurtherRuns(tables, [completion], occurrences)) storeFurtherRun(tables, trigger);
  endCheckpoint(tables, completion, endTime);
  meetExpectations(tables, completion, ended);
  return ended;
}

function endTrigger(
  tables: MemoryTables,
  entry: TriggerEntry,
  action: 'delete' | 'complete' | 'fail',
): CompletionOutcome {
  if (action !== 'delete') {
    tables.move(entry, action);
    return COMPLETED;
  }
  tables.removeTrigger(entry);
  return deleteOrphan(tables, entry.job) === null ? TRIGGER_DELETED : BOTH_DELETED;
}

/** Ends occurrences without a waiting or running part (shard). Starts the triggers that wait for these occurrences to end. */
export function endOccurrences(tables: MemoryTables, request: OccurrenceSweepRequest): OccurrenceSweep {
  const sweep = recountOccurrences(tables, request);
  startFollowers(tables, endsOfParts(sweep.ended, request.now));
  return sweep;
}

/** Recounts the parts (shards) of the occurrences of these jobs, after some may have been deleted. Returns the occurrences that end. */
export function endLostParts(tables: MemoryTables, jobs: readonly JobKey[], now: EpochMs): readonly SpreadOccurrence[] {
  const ended = recountPartsOf(tables, jobs);
  startFollowers(tables, endsOfParts(ended, now));
  return ended;
}

/** Starts the triggers that wait for the ends of these runs. The runs ended without a completion. */
export function startFollowers(tables: MemoryTables, ends: readonly EndedRun[]): void {
  for (const trigger of startFurtherRuns(tables, [], ends)) storeFurtherRun(tables, trigger);
}

/** True if the trigger of a further run must start PAUSED, because the original trigger is paused. */
function isHeldByOrigin(tables: MemoryTables, trigger: SimpleTrigger): boolean {
  const { of = trigger.key, jobKey } = pausedTriggerOf(trigger);
  const entry = tables.trigger(of);
  return isRunHeld({ key: of, jobKey }, entry === null ? null : stateOf(entry), {
    isGroupPaused: tables.isGroupPaused(of.group),
    pauses: [...tables.pauses.values()],
  });
}

/** Stores a further run's trigger, unless stored. Returns false if its job was deleted. Starts paused only if `isHeld` or its group is paused. */
export function storeFurtherRun(tables: MemoryTables, trigger: SimpleTrigger, isHeld = false): boolean {
  const job = tables.job(trigger.jobKey);
  if (job === null) return false;
  if (tables.trigger(trigger.key) === null) {
    const groupPaused = isHeld || tables.pausedGroups.has(trigger.key.group);
    tables.insertTrigger(trigger, job, restingState({ jobExecuting: job.isBlocked, groupPaused }));
  }
  return true;
}

/** Clears the dead-letter marks of failed runs and stores the triggers that rerun them. Returns one result per run; false if nothing changed. */
export function resolveFailedRuns(
  tables: MemoryTables,
  resolutions: readonly FailedRunResolution[],
): readonly boolean[] {
  return resolutions.map((each) => {
    const run = tables.runs.at(each);
    if (run === null || !(each.rerun === null ? run.isDeadLetter : isRerunnable(run))) return false;
    if (each.rerun !== null && !storeRerun(tables, each.rerun)) return false;
    tables.runs.resolve(run);
    if (each.checkpoint !== undefined) tables.checkpoints.delete(checkpointKeyText(each.checkpoint));
    return true;
  });
}

function storeRerun(tables: MemoryTables, rerun: SimpleTrigger): boolean {
  const { triggers, reopened } = planReruns([rerun], (id) => tables.occurrences.get(id));
  if (!triggers.every((trigger) => storeFurtherRun(tables, trigger))) return false;
  for (const occurrence of reopened) tables.occurrences.set(occurrence.id, occurrence);
  return true;
}
