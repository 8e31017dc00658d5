import { type Completion, endedPartsOf } from '../../domain/completion';
import { DEFERRED_JOBS, occurrenceOf, RETRYING_JOBS, SHARDED_JOBS } from '../../domain/occurrence';
import { RECOVERING_JOBS } from '../../domain/recovery';
import { afterParts, type SpreadOccurrence, withoutRemaining } from '../../domain/shards';
import type { Trigger } from '../../domain/trigger';
import type { OccurrenceSweep, OccurrenceSweepRequest } from '../job-store';
import type { MemoryTables } from './memory-tables';

/** Counts the part that this completion ends for good, if it does; the occurrence, if it was the last one. */
export function endParts({ occurrences }: MemoryTables, completion: Completion): SpreadOccurrence | null {
  for (const [id, ended] of endedPartsOf([completion])) {
    const occurrence = occurrences.get(id);
    if (occurrence === undefined) continue; // given up, or cleared
    const after = afterParts(occurrence, ended);
    if (after.remaining === 0) {
      occurrences.delete(id);
      return after;
    }
    occurrences.set(id, after);
  }
  return null;
}

/** Groups whose triggers run parts. */
const GROUPS_OF_PARTS = [SHARDED_JOBS, RETRYING_JOBS, RECOVERING_JOBS, DEFERRED_JOBS];

/** Ends the occurrences of which no part waits or is being run. */
export function giveUpOccurrences(tables: MemoryTables, { after, maxCount }: OccurrenceSweepRequest): OccurrenceSweep {
  if (tables.occurrences.size === 0) return { ended: [], next: null };
  const ids = [...tables.occurrences.keys()].filter((id) => after === null || id > after).sort();
  const page = ids.slice(0, maxCount);
  const left = idsLeft(tables);
  const ended = page.flatMap((id) => {
    const occurrence = tables.occurrences.get(id);
    return occurrence === undefined || left.has(id) ? [] : [withoutRemaining(occurrence)];
  });
  for (const { id } of ended) tables.occurrences.delete(id);
  return { ended, next: ids.length > maxCount ? (page.at(-1) ?? null) : null };
}

/** The ids of the occurrences of which something goes on. */
function idsLeft({ triggerGroups, executions }: MemoryTables): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = (trigger: Trigger) => {
    const id = occurrenceOf({ trigger, scheduledFireTime: 0 }).shard?.occurrenceId;
    if (typeof id === 'string') ids.add(id);
  };
  for (const group of GROUPS_OF_PARTS) {
    for (const { trigger, state } of triggerGroups.members(group)) {
      if (state !== 'ERROR' && state !== 'COMPLETE') add(trigger);
    }
  }
  for (const { entry } of executions.values()) add(entry.trigger);
  return ids;
}
