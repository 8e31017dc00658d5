import type { EpochMs } from '../../base/clock';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { RateChanges } from '../../domain/rate-capacity';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import type { LimitQueues } from './limit-queues';
import type { TurnIn } from './rate-lines';

interface TurnTables {
  readonly due: { ripe(now: EpochMs): readonly TriggerEntry[] };
  readonly limits: LimitQueues;
  readonly executions: { has(runId: string): boolean };
  trigger(key: TriggerKey): TriggerEntry | null;
  job(key: JobKey): JobEntry | null;
  updateTrigger(entry: TriggerEntry, trigger: TriggerEntry['trigger'], state: 'WAITING'): void;
}

/** Returns the fire time or status of a deferred firing; see `TurnIn`. */
export function turnOf(
  tables: Pick<TurnTables, 'trigger' | 'executions'>,
  key: TriggerKey,
  runId: string,
): ReturnType<TurnIn> {
  const entry = tables.trigger(key);
  if (entry === null) return tables.executions.has(runId) ? null : 'gone';
  const state = stateOf(entry);
  if (state === 'WAITING') return entry.trigger.nextFireTime;
  return state === 'ACQUIRED' ? null : 'held';
}

/** Stores the states of rate limits that a batch has changed, and moves deferred firings to their new fire times. */
export function saveRates(tables: TurnTables, changes: RateChanges, now: EpochMs): void {
  for (const { key, from, to } of tables.limits.saveRates(changes, now)) {
    const entry = tables.trigger(key);
    if (entry?.trigger.nextFireTime === from) moveTurn(tables, entry, to);
  }
}

/** Resets the deferred firings of a job to their original due times. Their order does not change. */
export function recallTurns(tables: TurnTables, jobKey: JobKey): void {
  for (const entry of tables.job(jobKey)?.triggers.toArray() ?? []) {
    const due = tables.limits.dueOf(entry.keyText);
    if (due !== null && (entry.trigger.nextFireTime ?? due) > due) moveTurn(tables, entry, due);
  }
}

/** Sets each deferred firing whose fire time has passed to its original due time. Otherwise, triggers that became due later would come first. */
export function ripenTurns(tables: TurnTables, now: EpochMs): void {
  for (const entry of tables.due.ripe(now)) {
    const due = tables.limits.dueOf(entry.keyText);
    if (due !== null) moveTurn(tables, entry, due);
  }
}

function moveTurn(tables: TurnTables, entry: TriggerEntry, nextFireTime: EpochMs): void {
  if (stateOf(entry) === 'WAITING') tables.updateTrigger(entry, { ...entry.trigger, nextFireTime }, 'WAITING');
}
