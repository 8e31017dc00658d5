import type { JobKey, TriggerKey } from '../../../domain/keys';
import type { CalendarIntervalTrigger, DailyTimeIntervalTrigger, Trigger } from '../../../domain/trigger';
import type { TriggerState } from '../../../domain/trigger-state';
import type { NodeTransaction } from '../rows/node-transaction';
import {
  fromTime,
  jobKeyColumns,
  keyList,
  nextTimeColumn,
  type TriggerRow,
  triggerKeyColumns,
  triggerKeyOf,
} from '../rows/rows';
import { storedTimesTriggered } from '../rows/trigger-kinds';
import { type RowOfSet, writeEveryRow, writeRows } from '../runtime/row-batches';

/** A trigger that has advanced in its schedule: its stored row, and the values to write. */
export interface AdvancedTrigger {
  readonly from: TriggerRow;
  readonly before: Trigger;
  readonly trigger: Trigger;
  readonly state: TriggerState;
}

/** Writes advanced triggers. Throws `StaleRead` if a trigger has changed since it was read. */
export async function advanceTriggers(tx: NodeTransaction, advanced: readonly AdvancedTrigger[]): Promise<void> {
  await Promise.all([
    writeEveryRow(tx, 'advanceTriggers', advanced.flatMap(progressRow)),
    writeEveryRow(tx, 'advanceSimpleTriggers', advanced.flatMap(simpleRow)),
    writeEveryRow(tx, 'advanceSimpropTriggers', advanced.flatMap(simpropRow)),
  ]);
}

/** Array with the new row in the table of the trigger's type. Empty if unchanged: the database would not count the update as a changed row. */
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

/** Array with the new row. Empty if an AFTER trigger is unchanged (jobs ended in one millisecond): the database would not count the update. */
function progressRow({ from, before, trigger, state }: AdvancedTrigger) {
  const { key, previousFireTime, startTime } = trigger;
  const isAsBefore = state === from.TRIGGER_STATE && previousFireTime === before.previousFireTime;
  if (trigger.kind === 'AFTER' && isAsBefore) return [];
  const read = [from.TRIGGER_STATE, fromTime(from.NEXT_FIRE_TIME)] as const;
  return [[...keyList(key), ...read, state, nextTimeColumn(trigger), fromTime(previousFireTime), startTime]];
}

export interface MovedTrigger {
  readonly from: Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'TRIGGER_STATE'>;
  readonly state: TriggerState;
}

/** Writes the new states. Throws `StaleRead` if a trigger's state has changed since it was read. */
export async function moveTriggers(tx: NodeTransaction, moved: readonly MovedTrigger[]) {
  const rows = moved.map(({ from, state }) => ({
    ...triggerKeyColumns(triggerKeyOf(from)),
    fromState: from.TRIGGER_STATE,
    toState: state,
  }));
  await writeEveryRow(tx, 'setTriggerStates', rows);
}

/** Deletes the reservations of triggers that were ACQUIRED when read, so that the nodes that reserved them can no longer fire them. */
export async function endReservations(
  tx: NodeTransaction,
  triggers: readonly { readonly key: TriggerKey; readonly state: string }[],
): Promise<void> {
  const acquired = triggers.filter(({ state }) => state === 'ACQUIRED').map(({ key }) => triggerKeyColumns(key));
  await writeRows(tx, 'deleteReservationsOfTriggers', acquired);
}

/** Blocks the triggers of non-concurrent jobs that now execute, and ends their reservations. The firing trigger's own row must be updated first. */
export async function blockTriggersOf(tx: NodeTransaction, jobs: readonly JobKey[]) {
  const rows = jobs.map(jobKeyColumns);
  await Promise.all([writeRows(tx, 'blockTriggers', rows), writeRows(tx, 'deleteReservationsOfJobs', rows)]);
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

/** Deletes the rows of triggers in the tables of their types. If a type is unknown, deletes from every such table. */
export async function deleteKindRows(
  tx: NodeTransaction,
  types: ReadonlySet<string | null>,
  rows: readonly RowOfSet[],
): Promise<void> {
  await Promise.all([...statementsFor(types)].map((statement) => writeRows(tx, statement, rows)));
}

function statementsFor(types: ReadonlySet<string | null>): ReadonlySet<KindStatement> {
  const statements = new Set<KindStatement>();
  for (const type of types) {
    if (type === null || !Object.hasOwn(KIND_STATEMENTS, type)) return EVERY_STATEMENT;
    for (const each of KIND_STATEMENTS[type as keyof typeof KIND_STATEMENTS]) statements.add(each);
  }
  return statements;
}
