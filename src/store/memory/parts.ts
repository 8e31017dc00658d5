import { type Completion, endedPartsOf } from '../../domain/completion';
import { type JobKey, keyText } from '../../domain/keys';
import { DEFERRED_JOBS, occurrenceOfTrigger, RETRYING_JOBS, SHARDED_JOBS } from '../../domain/occurrence';
import { RECOVERING_JOBS } from '../../domain/recovery';
import { afterParts, recounted, type SpreadOccurrence } from '../../domain/spread-occurrence';
import type { Trigger } from '../../domain/trigger';
import { isHalted } from '../../domain/trigger-state';
import type { OccurrenceSweep, OccurrenceSweepRequest } from '../job-store';
import type { MemoryTables } from './memory-tables';

/** Counts down the parts (shards) if this completion ends one and no retry continues it. Returns the occurrence after its last part; else null. */
export function endParts(tables: MemoryTables, completion: Completion): SpreadOccurrence | null {
  const { occurrences } = tables;
  for (const [id, ended] of endedPartsOf([completion])) {
    const occurrence = occurrences.get(id);
    if (occurrence === undefined) continue; // the occurrence was abandoned or cleared
    const after = afterParts(occurrence, ended);
    if (after.remaining === 0) {
      tables.endOccurrence(after);
      return after;
    }
    occurrences.set(id, after);
  }
  return null;
}

const GROUPS_OF_PARTS = [SHARDED_JOBS, RETRYING_JOBS, RECOVERING_JOBS, DEFERRED_JOBS];

/** Recounts the remaining parts (shards) of a page of occurrences. Ends occurrences without a waiting or running part. */
export function recountOccurrences(tables: MemoryTables, { after, maxCount }: OccurrenceSweepRequest): OccurrenceSweep {
  if (tables.occurrences.size === 0) return { ended: [], next: null };
  const ids = [...tables.occurrences.keys()].filter((id) => after === null || id > after).sort();
  const page = ids.slice(0, maxCount).flatMap((id) => tables.occurrences.get(id) ?? []);
  return { ended: recount(tables, page), next: ids.length > maxCount ? (page.at(-1)?.id ?? null) : null };
}

/** Recounts the remaining parts (shards) of the occurrences of these jobs. Returns the occurrences that end because no part remains. */
export function recountPartsOf(tables: MemoryTables, jobs: readonly JobKey[]): readonly SpreadOccurrence[] {
  if (jobs.length === 0 || tables.occurrences.size === 0) return [];
  const selected = new Set(jobs.map(keyText));
  const ofJobs = [...tables.occurrences.values()].filter(({ jobKey }) => selected.has(keyText(jobKey)));
  return recount(tables, ofJobs);
}

function recount(tables: MemoryTables, occurrences: readonly SpreadOccurrence[]): readonly SpreadOccurrence[] {
  const left = partsLeft(tables);
  const counted = occurrences.map((each) => recounted(each, left.get(each.id) ?? 0));
  for (const each of counted) tables.occurrences.set(each.id, each);
  const ended = counted.filter(({ remaining }) => remaining === 0);
  for (const each of ended) tables.endOccurrence(each);
  return ended;
}

/** Returns the number of parts (shards) that still wait or run, by occurrence id. */
function partsLeft({ triggerGroups, executions }: MemoryTables): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  const add = (trigger: Trigger) => {
    const { id, shard } = occurrenceOfTrigger(trigger);
    if (id !== null && shard?.isCounted === true) parts.set(id, (parts.get(id) ?? 0) + 1);
  };
  for (const group of GROUPS_OF_PARTS) {
    for (const { trigger, state } of triggerGroups.members(group)) {
      if (!isHalted(state)) add(trigger);
    }
  }
  for (const { entry } of executions.values()) add(entry.trigger);
  return parts;
}
