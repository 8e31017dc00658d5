import type { EpochMs } from '../../base/clock';
import { isDue, takeBatch } from '../../domain/acquisition';
import { type Completion, type CompletionPlan, planCompletion } from '../../domain/completion';
import {
  type AcquiredTrigger,
  type FireResult,
  planFiring,
  refusalReason,
  stateAfterFiring,
  type TriggerFiring,
} from '../../domain/firing';
import { type MisfireClock, misfireTime, recoverMisfire } from '../../domain/misfire';
import type { Trigger } from '../../domain/trigger';
import type { TriggerState } from '../../domain/trigger-state';
import type { AcquireRequest, AcquireResult, CompletionOutcome, MisfireRequest, MisfireSweep } from '../job-store';
import type { Execution, TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { toStoredTrigger } from './read-schedule';

/** Reserves the triggers of one batch, and fires them at once if they are due and that was asked for. */
export function acquireTriggers(
  tables: MemoryTables,
  request: AcquireRequest,
  newFireInstanceId: () => string,
): AcquireResult {
  const due = tables.due.acquirable(request.jobTypes, misfireTime(request));
  const batch = takeBatch(due, request);
  for (const entry of batch) tables.reserve(entry, newFireInstanceId());
  due.end();
  const [first] = batch;
  const { now, fireWithin } = request;
  if (first === undefined || fireWithin === null || !isDue(first.trigger, now, fireWithin)) {
    return { acquired: batch.map(toAcquired), fired: [] };
  }
  return { acquired: [], fired: batch.map((entry) => fire(tables, entry, now)) };
}

/** Releases acquired triggers that were not fired and are still reserved by this acquisition. */
export function releaseTriggers(tables: MemoryTables, acquired: readonly AcquiredTrigger[]): void {
  for (const reservation of acquired) {
    const entry = tables.trigger(reservation.trigger.key);
    if (entry !== null && isReservedBy(entry, reservation)) tables.move(entry, 'release');
  }
}

/** Fires the triggers that are still reserved. One result per reservation, in their order. */
export function fireTriggers(
  tables: MemoryTables,
  acquired: readonly AcquiredTrigger[],
  now: EpochMs,
): readonly FireResult[] {
  return acquired.map((reservation): FireResult => {
    const entry = tables.trigger(reservation.trigger.key);
    if (entry !== null && isReservedBy(entry, reservation)) return fire(tables, entry, now);
    const stored = entry === null ? null : toStoredTrigger(entry);
    return { status: 'notFired', acquired: reservation, reason: refusalReason(reservation, stored) };
  });
}

/** Every change of a trigger ends its reservation, so a trigger with a matching id has not changed since it was acquired. */
function isReservedBy(entry: TriggerEntry, { fireInstanceId }: AcquiredTrigger): boolean {
  return entry.fireInstanceId === fireInstanceId;
}

function fire(tables: MemoryTables, entry: TriggerEntry, now: EpochMs): FireResult {
  const { trigger, job, fireInstanceId } = entry;
  let firing: TriggerFiring;
  try {
    const parts = { trigger, jobDetail: job.detail, calendar: tables.calendarOf(trigger) };
    firing = planFiring(parts, fireInstanceId ?? '', now);
  } catch {
    // One trigger that cannot be computed must not keep the rest of the batch from firing.
    const acquired = toAcquired(entry);
    tables.updateTrigger(entry, trigger, 'ERROR');
    return { status: 'notFired', acquired, reason: 'invalid' };
  }
  tables.startExecution(entry, firing, stateAfterFiring(firing));
  return { status: 'fired', firing };
}

function toAcquired({ trigger, fireInstanceId }: TriggerEntry): AcquiredTrigger {
  return { trigger, fireInstanceId: fireInstanceId ?? '' };
}

const FENCED: CompletionOutcome = { status: 'fenced', deletedTrigger: false, deletedJob: false };
const COMPLETED: CompletionOutcome = { status: 'completed', deletedTrigger: false, deletedJob: false };
const TRIGGER_DELETED: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: false };
const BOTH_DELETED: CompletionOutcome = { status: 'completed', deletedTrigger: true, deletedJob: true };

/** Ends a firing. */
export function completeTrigger(tables: MemoryTables, completion: Completion): CompletionOutcome {
  const execution = tables.endExecution(completion.firing.fireInstanceId);
  if (execution === null) return FENCED;
  const { job } = execution;
  if (completion.jobData !== undefined && job.detail.persistJobDataAfterExecution) {
    tables.replaceJob(job, { ...job.detail, data: completion.jobData });
  }
  // The trigger may have been deleted and stored again since it fired.
  const entry = execution.entry.isStored ? execution.entry : (tables.triggers.get(execution.entry.keyText) ?? null);
  return carryOut(tables, execution, entry, planCompletion(completion, entry === null ? null : entry.trigger));
}

function carryOut(
  tables: MemoryTables,
  { job }: Execution,
  entry: TriggerEntry | null,
  plan: CompletionPlan,
): CompletionOutcome {
  if (plan.scope === 'job') {
    for (const each of job.triggers.toArray()) tables.move(each, plan.action);
  } else if (plan.scope === 'trigger' && entry !== null) {
    if (plan.action === 'delete') {
      tables.removeTrigger(entry);
      return tables.deleteOrphan(entry.job) === null ? TRIGGER_DELETED : BOTH_DELETED;
    }
    tables.move(entry, plan.action);
  }
  return COMPLETED;
}

/** Applies the misfire instruction of the longest waiting misfired triggers. */
export function recoverMisfires(tables: MemoryTables, request: MisfireRequest): MisfireSweep {
  const next = () => tables.due.firstMisfired(misfireTime(request));
  const misfired: Trigger[] = [];
  const finalized: Trigger[] = [];
  let earliest: EpochMs | null = null;
  for (let count = 0; count < request.maxCount; count++) {
    const entry = next();
    if (entry === null) break;
    const before = entry.trigger;
    if (!recoverInto(tables, entry, 'WAITING', request)) continue;
    misfired.push(before);
    const { nextFireTime } = entry.trigger;
    if (nextFireTime === null) finalized.push(entry.trigger);
    else if (earliest === null || nextFireTime < earliest) earliest = nextFireTime;
  }
  return { misfired, finalized, earliestNextFireTime: earliest, more: next() !== null };
}

/**
 * Puts a trigger into a state, with its misfire instruction applied if it misfired; COMPLETE when it has no time left.
 * False when its fire times cannot be computed: it alone is in ERROR then, or every later sweep would meet it first.
 */
export function recoverInto(
  tables: MemoryTables,
  entry: TriggerEntry,
  state: TriggerState,
  clock: MisfireClock,
): boolean {
  try {
    const calendar = tables.calendarOf(entry.trigger)?.calendar ?? null;
    const trigger = recoverMisfire(entry.trigger, calendar, clock);
    tables.updateTrigger(entry, trigger, trigger.nextFireTime === null ? 'COMPLETE' : state);
    return true;
  } catch {
    tables.updateTrigger(entry, entry.trigger, 'ERROR');
    return false;
  }
}
