import { misfireTime, recoverMisfire } from '../../domain/misfire';
import type { Trigger } from '../../domain/trigger';
import type { MisfireRequest, MisfireSweep } from '../job-store';
import { calendarOf } from './apply-calendars';
import type { TriggerEntry } from './entries';
import { earlier } from './job-turns';
import type { Lane } from './lane';
import type { MemoryTables } from './memory-tables';

/** Applies the misfire instruction of the longest waiting misfired triggers. */
export function recoverMisfires(tables: MemoryTables, request: MisfireRequest): MisfireSweep {
  const lanes = tables.due.misfiredLanes(misfireTime(request));
  const misfired: Trigger[] = [];
  const finalized: Trigger[] = [];
  let earliest: number | null = null;
  for (let entry = firstOf(lanes); entry !== null && misfired.length < request.maxCount; entry = firstOf(lanes)) {
    misfired.push(entry.trigger);
    const { nextFireTime } = recover(tables, entry, request);
    if (entry.state === 'COMPLETE') finalized.push(entry.trigger);
    else if (nextFireTime !== null) earliest = Math.min(earliest ?? nextFireTime, nextFireTime);
  }
  return { misfired, finalized, earliestNextFireTime: earliest, more: firstOf(lanes) !== null };
}

function firstOf(lanes: readonly Lane[]): TriggerEntry | null {
  let first: TriggerEntry | null = null;
  for (const lane of lanes) first = earlier(first, lane.firstMisfired());
  return first;
}

function recover(tables: MemoryTables, entry: TriggerEntry, request: MisfireRequest): Trigger {
  try {
    const calendar = calendarOf(tables, entry.trigger)?.calendar ?? null;
    const trigger = recoverMisfire(entry.trigger, calendar, request);
    tables.updateTrigger(entry, trigger, trigger.nextFireTime === null ? 'COMPLETE' : 'WAITING');
  } catch {
    // One trigger that cannot be computed must not keep the others from being recovered, now and on every later sweep.
    tables.updateTrigger(entry, entry.trigger, 'ERROR');
  }
  return entry.trigger;
}
