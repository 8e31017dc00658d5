import type { EpochMs } from '../../base/clock';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { RateChanges } from '../../domain/rate-room';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import type { LimitQueues } from './limit-queues';
import type { TurnIn } from './rate-lines';

/** What turns are read from and written to: the tables of the store. */
interface TurnTables {
  readonly due: { ripe(now: EpochMs): readonly TriggerEntry[] };
  readonly limits: LimitQueues;
  readonly executions: { has(runId: string): boolean };
  trigger(key: TriggerKey): TriggerEntry | null;
  job(key: JobKey): JobEntry | null;
  updateTrigger(entry: TriggerEntry, trigger: TriggerEntry['trigger'], state: 'WAITING'): void;
}

/** As `TurnIn` says. */
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

/** Writes what a batch changes of rates, and moves what waits for them. */
export function saveRates(tables: TurnTables, changes: RateChanges, now: EpochMs): void {
  for (const { key, from, to } of tables.limits.saveRates(changes, now)) {
    const entry = tables.trigger(key);
    if (entry?.trigger.nextFireTime === from) moveTurn(tables, entry, to);
  }
}

/** What waits for its turn under a rate of the job comes up now, in its order. */
export function recallTurns(tables: TurnTables, jobKey: JobKey): void {
  for (const entry of tables.job(jobKey)?.triggers.toArray() ?? []) {
    const due = tables.limits.dueOf(entry.keyText);
    if (due !== null && (entry.trigger.nextFireTime ?? due) > due) moveTurn(tables, entry, due);
  }
}

/**
 * Lets what comes up compete with other triggers by the time at which it was due, no more by that of its turn: those that became due between
 * both would be before it else.
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
