import type { EpochMs } from '../../base/clock';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { RateChanges } from '../../domain/rate-room';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import type { LimitQueues } from './limit-queues';
import type { TurnIn } from './rate-lines';

/** The parts of the store's tables that hold turns. */
interface TurnTables {
  readonly due: { ripe(now: EpochMs): readonly TriggerEntry[] };
  readonly limits: LimitQueues;
  readonly executions: { has(runId: string): boolean };
  trigger(key: TriggerKey): TriggerEntry | null;
  job(key: JobKey): JobEntry | null;
  updateTrigger(entry: TriggerEntry, trigger: TriggerEntry['trigger'], state: 'WAITING'): void;
}

/** Returns the turn of a deferred firing; see `TurnIn`. */
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

/** Stores the rate changes of a batch, and moves the firings that wait for these rates. */
export function saveRates(tables: TurnTables, changes: RateChanges, now: EpochMs): void {
  for (const { key, from, to } of tables.limits.saveRates(changes, now)) {
    const entry = tables.trigger(key);
    if (entry?.trigger.nextFireTime === from) moveTurn(tables, entry, to);
  }
}

/** Makes the job's firings that wait for their turn under a rate due again, in their order. */
export function recallTurns(tables: TurnTables, jobKey: JobKey): void {
  for (const entry of tables.job(jobKey)?.triggers.toArray() ?? []) {
    const due = tables.limits.dueOf(entry.keyText);
    if (due !== null && (entry.trigger.nextFireTime ?? due) > due) moveTurn(tables, entry, due);
  }
}

/**
 * Gives firings whose turn has come their original due time. Sorted by the time of the turn, they would come after triggers that became due
 * while they waited.
 */
export function ripenTurns(tables: TurnTables, now: EpochMs): void {
  for (const entry of tables.due.ripe(now)) {
    const due = tables.limits.dueOf(entry.keyText);
    if (due !== null) moveTurn(tables, entry, due);
  }
}

function moveTurn(tables: TurnTables, entry: TriggerEntry, nextFireTime: EpochMs): void {
  if (stateOf(entry) === 'WAITING') tables.updateTrigger(entry, { ...entry.trigger, nextFireTime }, 'WAITING');
}
