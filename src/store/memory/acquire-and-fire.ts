import type { EpochMs } from '../../base/clock';
import { isDue, takeBatch } from '../../domain/acquisition';
import {
  type AcquiredTrigger,
  type FireResult,
  planFiring,
  refusalReason,
  stateAfterFiring,
  type TriggerFiring,
} from '../../domain/firing';
import { misfireTime } from '../../domain/misfire';
import { nextState } from '../../domain/trigger-state';
import type { AcquireRequest, AcquireResult } from '../job-store';
import { stateOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { transitionContextOf } from './paused-groups';

/** Reserves the triggers of one batch, and fires them at once if they are due and that was asked for. */
export function acquireTriggers(
  tables: MemoryTables,
  request: AcquireRequest,
  newFireInstanceId: () => string,
): AcquireResult {
  const batch = reserveBatch(tables, request, newFireInstanceId);
  const [first] = batch;
  const { now, fireWithin } = request;
  if (first === undefined || fireWithin === null || !isDue(first.trigger, now, fireWithin)) {
    return { acquired: batch.map(toAcquired), fired: [] };
  }
  return { acquired: [], fired: batch.map((entry) => fire(tables, entry, now)) };
}

/** Puts back what was acquired and not fired; what is no longer ours is left alone. */
export function releaseTriggers(tables: MemoryTables, acquired: readonly AcquiredTrigger[]): void {
  for (const reservation of acquired) {
    const entry = tables.trigger(reservation.trigger.key);
    if (entry === null || !isReservedBy(entry, reservation)) continue;
    const state = nextState('ACQUIRED', 'release', transitionContextOf(tables, entry.trigger.key.group, entry.job));
    tables.updateTrigger(entry, entry.trigger, state);
  }
}

/** Fires what is still ours. One result per reservation, in their order. */
export function fireTriggers(
  tables: MemoryTables,
  acquired: readonly AcquiredTrigger[],
  now: EpochMs,
): readonly FireResult[] {
  return acquired.map((reservation): FireResult => {
    const entry = tables.trigger(reservation.trigger.key);
    if (entry !== null && isReservedBy(entry, reservation)) return fire(tables, entry, now);
    const stored = entry === null ? null : { trigger: entry.trigger, state: stateOf(entry) };
    return { status: 'notFired', acquired: reservation, reason: refusalReason(reservation, stored) };
  });
}

function reserveBatch(
  tables: MemoryTables,
  request: AcquireRequest,
  newFireInstanceId: () => string,
): readonly TriggerEntry[] {
  const due = tables.due.acquirable(request.jobTypes, misfireTime(request));
  const batch = takeBatch(due, request);
  for (const entry of batch) tables.reserve(entry, newFireInstanceId());
  due.end();
  return batch;
}

/** Every change of a trigger ends its reservation, so a matching id says that it is as it was when it was acquired. */
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
