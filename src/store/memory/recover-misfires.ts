import type { EpochMs } from '../../base/clock';
import { type MisfireClock, misfireTime, recoverMisfire } from '../../domain/misfire';
import type { Trigger } from '../../domain/trigger';
import type { TriggerState } from '../../domain/trigger-state';
import type { MisfireRequest, MisfireSweep } from '../job-store';
import type { TriggerEntry } from './entries';
import type { JobTypeQueue } from './job-type-queue';
import type { MemoryTables } from './memory-tables';
import { earlier } from './non-concurrent-queue';

/** Applies the misfire instruction of the longest waiting misfired triggers. */
export function recoverMisfires(tables: MemoryTables, request: MisfireRequest): MisfireSweep {
  const queues = tables.due.misfiredQueues(misfireTime(request));
  const misfired: Trigger[] = [];
  const finalized: Trigger[] = [];
  let earliest: EpochMs | null = null;
  for (let count = 0; count < request.maxCount; count++) {
    const entry = firstOf(queues);
    if (entry === null) break;
    const before = entry.trigger;
    if (!recoverInto(tables, entry, 'WAITING', request)) continue;
    misfired.push(before);
    const { nextFireTime } = entry.trigger;
    if (nextFireTime === null) finalized.push(entry.trigger);
    else if (earliest === null || nextFireTime < earliest) earliest = nextFireTime;
  }
  return { misfired, finalized, earliestNextFireTime: earliest, more: firstOf(queues) !== null };
}

function firstOf(queues: readonly JobTypeQueue[]): TriggerEntry | null {
  let first: TriggerEntry | null = null;
  for (const queue of queues) first = earlier(first, queue.firstMisfired());
  return first;
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
