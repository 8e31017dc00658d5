import type { EpochMs } from '../../base/clock';
import type { JobKey } from '../../domain/keys';
import type { RateChanges } from '../../domain/rate-capacity';
import { stateOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';

/** Stores the states of rate limits that a batch has changed, and moves deferred firings to their new fire times. */
export function saveRates(tables: MemoryTables, changes: RateChanges, now: EpochMs): void {
  for (const { key, from, to } of tables.limits.saveRates(changes, now)) {
    const entry = tables.trigger(key);
    if (entry?.trigger.nextFireTime === from) moveTurn(tables, entry, to);
  }
}

/** Resets the deferred firings of a job to their original due times. Their order does not change. */
export function recallTurns(tables: MemoryTables, jobKey: JobKey): void {
  for (const entry of tables.job(jobKey)?.triggers.toArray() ?? []) {
    const due = tables.limits.dueOf(entry.keyText);
    if (due !== null && (entry.trigger.nextFireTime ?? due) > due) moveTurn(tables, entry, due);
  }
}

/** Sets each deferred firing whose fire time has passed to its original due time. Otherwise, triggers that became due later would come first. */
export function ripenTurns(tables: MemoryTables, now: EpochMs): void {
  for (const entry of tables.due.ripe(now)) {
    const due = tables.limits.dueOf(entry.keyText);
    if (due !== null) moveTurn(tables, entry, due);
  }
}

function moveTurn(tables: MemoryTables, entry: TriggerEntry, nextFireTime: EpochMs): void {
  if (stateOf(entry) === 'WAITING') tables.updateTrigger(entry, { ...entry.trigger, nextFireTime }, 'WAITING');
}
