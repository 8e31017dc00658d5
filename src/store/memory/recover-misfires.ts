import type { EpochMs } from '../../base/clock';
import { type MisfireClock, misfireTime, recoverMisfire } from '../../domain/misfire';
import type { Trigger } from '../../domain/trigger';
import type { TriggerState } from '../../domain/trigger-state';
import type { MisfireRequest, MisfireSweep } from '../job-store';
import type { TriggerEntry } from './entries';
import { earlier } from './job-turns';
import type { Lane } from './lane';
import type { MemoryTables } from './memory-tables';

/** Applies the misfire instruction of the longest waiting misfired triggers. */
export function recoverMisfires(tables: MemoryTables, request: MisfireRequest): MisfireSweep {
  const lanes = tables.due.misfiredLanes(misfireTime(request));
  const misfired: Trigger[] = [];
  const finalized: Trigger[] = [];
  let earliest: EpochMs | null = null;
  for (let count = 0; count < request.maxCount; count++) {
    const entry = firstOf(lanes);
    if (entry === null) break;
    const before = entry.trigger;
    if (!recoverInto(tables, entry, 'WAITING', request)) continue;
    misfired.push(before);
    const { nextFireTime } = entry.trigger;
    if (nextFireTime === null) finalized.push(entry.trigger);
    else if (earliest === null || nextFireTime < earliest) earliest = nextFireTime;
  }
  return { misfired, finalized, earliestNextFireTime: earliest, more: firstOf(lanes) !== null };
}

function firstOf(lanes: readonly Lane[]): TriggerEntry | null {
  let first: TriggerEntry | null = null;
  for (const lane of lanes) first = earlier(first, lane.firstMisfired());
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
