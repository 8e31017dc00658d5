import type { JobKey, TriggerKey } from '../../../domain/keys';
import type { CalendarIntervalTrigger, DailyTimeIntervalTrigger, Trigger } from '../../../domain/trigger';
import type { TriggerState } from '../../../domain/trigger-state';
import {
  fromTime,
  jobKeyColumns,
  keyList,
  nextTimeColumn,
  type TriggerRow,
  triggerKeyColumns,
  triggerKeyOf,
} from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { storedTimesTriggered } from '../rows/trigger-kinds';
import { type RowOfSet, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';

/** A trigger moved on in its schedule: from the row that was read to what it is now. */
export interface AdvancedTrigger {
  readonly from: TriggerRow;
  /** As it was read. */
  readonly before: Trigger;
  readonly trigger: Trigger;
  readonly state: TriggerState;
}

/** Writes triggers that were moved on. Throws `StaleRead` when one is not any more as it was read. */
export async function advanceTriggers(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  advanced: readonly AdvancedTrigger[],
): Promise<void> {
  await Promise.all([
    writeEveryRow(tx, 'advanceTriggers', { schedName }, advanced.flatMap(progressRow)),
    writeEveryRow(tx, 'advanceSimpleTriggers', { schedName }, advanced.flatMap(simpleRow)),
    writeEveryRow(tx, 'advanceSimpropTriggers', { schedName }, advanced.flatMap(simpropRow)),
  ]);
}

/** None where only the trigger itself has changed: a row that is written as it was is not counted. */
function simpleRow({ before, trigger }: AdvancedTrigger) {
  if (trigger.kind !== 'SIMPLE' || before.kind !== 'SIMPLE') return [];
  const { key, repeatCount } = trigger;
  const timesTriggered = storedTimesTriggered(trigger);
  if (repeatCount === before.repeatCount && timesTriggered === before.timesTriggered) return [];
  return [[...keyList(key), repeatCount, timesTriggered]];
}

function simpropRow({ before, trigger }: AdvancedTrigger) {
  if (!hasProperties(trigger) || !hasProperties(before)) return [];
  const { key, timesTriggered } = trigger;
  return timesTriggered === before.timesTriggered ? [] : [[...keyList(key), timesTriggered]];
}

function hasProperties(trigger: Trigger): trigger is CalendarIntervalTrigger | DailyTimeIntervalTrigger {
  return trigger.kind === 'CAL_INT' || trigger.kind === 'DAILY_I';
}

/** None where nothing of the row changes: jobs may end in one millisecond, and what is written as it was is not counted. */
function progressRow({ from, before, trigger, state }: AdvancedTrigger) {
  const { key, previousFireTime, startTime } = trigger;
  const isAsBefore = state === from.TRIGGER_STATE && previousFireTime === before.previousFireTime;
  if (trigger.kind === 'AFTER' && isAsBefore) return [];
  const read = [from.TRIGGER_STATE, fromTime(from.NEXT_FIRE_TIME)] as const;
  return [[...keyList(key), ...read, state, nextTimeColumn(trigger), fromTime(previousFireTime), startTime]];
}

/** A trigger moved to another state: from the row that was read. */
export interface MovedTrigger {
  readonly from: Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'TRIGGER_STATE'>;
  readonly state: TriggerState;
}

/** Writes the new states. Throws `StaleRead` when a trigger is in another state than it was read in. */
export async function moveTriggers(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  moved: readonly MovedTrigger[],
): Promise<void> {
  const rows = moved.map(({ from, state }) => ({
    ...triggerKeyColumns(triggerKeyOf(from)),
    fromState: from.TRIGGER_STATE,
    toState: state,
  }));
  await writeEveryRow(tx, 'setTriggerStates', { schedName }, rows);
}

/** Ends the reservations of those triggers that were ACQUIRED when they were read: who holds one may not fire it any more. */
export async function endReservations(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  triggers: readonly { readonly key: TriggerKey; readonly state: string }[],
): Promise<void> {
  const acquired = triggers.filter(({ state }) => state === 'ACQUIRED').map(({ key }) => triggerKeyColumns(key));
  await writeRows(tx, 'deleteReservationsOfTriggers', { schedName }, acquired);
}

/**
 * Blocks the other triggers of jobs that execute now and must not execute twice; ends their reservations. A trigger that fires
 * itself is blocked by its own row, which must have been written before.
 */
export async function blockTriggersOf(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  jobs: readonly JobKey[],
): Promise<void> {
  const rows = jobs.map(jobKeyColumns);
  await Promise.all([
    writeRows(tx, 'blockTriggers', { schedName }, rows),
    writeRows(tx, 'deleteReservationsOfJobs', { schedName }, rows),
  ]);
}

const KIND_STATEMENTS = {
  SIMPLE: ['deleteSimpleTriggers'],
  CRON: ['deleteCronTriggers'],
  CAL_INT: ['deleteSimpropTriggers'],
  DAILY_I: ['deleteSimpropTriggers'],
  AFTER: ['deleteSimpropTriggers', 'deleteParents'],
  BLOB: ['deleteBlobTriggers'],
} as const;

type KindStatement = (typeof KIND_STATEMENTS)[keyof typeof KIND_STATEMENTS][number];

const EVERY_STATEMENT: ReadonlySet<KindStatement> = new Set(Object.values(KIND_STATEMENTS).flat());

/** Deletes what the kinds of triggers keep beside them; a type nobody knows may have rows anywhere. */
export async function deleteKindRows(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  types: ReadonlySet<string | null>,
  rows: readonly RowOfSet[],
): Promise<void> {
  await Promise.all([...statementsFor(types)].map((statement) => writeRows(tx, statement, { schedName }, rows)));
}

function statementsFor(types: ReadonlySet<string | null>): ReadonlySet<KindStatement> {
  const statements = new Set<KindStatement>();
  for (const type of types) {
    if (type === null || !Object.hasOwn(KIND_STATEMENTS, type)) return EVERY_STATEMENT;
    for (const each of KIND_STATEMENTS[type as keyof typeof KIND_STATEMENTS]) statements.add(each);
  }
  return statements;
}
