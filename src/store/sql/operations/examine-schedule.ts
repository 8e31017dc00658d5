import { planFiring } from '../../../domain/firing';
import type { TriggerKey } from '../../../domain/keys';
import type { UnreadableRow } from '../../../domain/scheduler-event';
import { computed, readPlainCalendar, readPlainJob, readTrigger } from '../rows/read-rows';
import { type JobRow, jobKeyColumns, jobKeyOf, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { RowTarget } from '../rows/unreadable-rows';
import { selectByRows, selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { EVERY_GROUP, selectJobGroups } from './paused-groups';
import { selectTriggers } from './select-triggers';
import { findWithoutTypeRow } from './sweep';

/** Number of rows to read per query. A row may have 130 kB. */
const PAGE = 100;

/** Reads the known unreadable rows of this node again, and returns the rows that are still unreadable. Repaired and deleted rows leave the list. */
export async function listUnreadable(tx: SqlTransaction, node: SqlNode): Promise<readonly UnreadableRow[]> {
  const targets = node.unreadable.rows;
  const examine = { job: examineJobs, calendar: examineCalendars, trigger: examineTriggers } as const;
  for (const what of ['job', 'calendar', 'trigger'] as const) {
    const ofKind = targets.filter((target) => target.what === what);
    for (let start = 0; start < ofKind.length; start += PAGE) {
      await examine[what](tx, node, ofKind.slice(start, start + PAGE));
    }
  }
  return node.unreadable.rows;
}

/** Reads the triggers and computes their next firing, so that errors are reported. Removes deleted triggers from the list of unreadable rows. */
async function examineTriggers(tx: SqlTransaction, node: SqlNode, targets: readonly RowTarget[]): Promise<void> {
  const keys = targets.map(keyOf);
  const found = await selectTriggers(
    tx,
    node,
    keys.map((key) => ({ key, entryId: null })),
  );
  for (const [index, { row }] of found.entries()) {
    if (row === null) node.unreadable.forget(targets[index] as RowTarget);
    const read = row === null ? null : readTrigger(row, node);
    if (read !== null && read.trigger.nextFireTime !== null) {
      computed(read.row, node, () => planFiring(read, '', node.clock.now()));
    }
  }
}

async function examineJobs(tx: SqlTransaction, node: SqlNode, targets: readonly RowTarget[]): Promise<void> {
  type Row = JobRow & { readonly POSITION: number };
  const rows = targets.map(keyOf).map(jobKeyColumns);
  const found = await selectOrdered<Row>(tx, 'selectJobs', { schedName: node.schedName }, rows);
  for (const [index, row] of found.entries()) {
    if (row.JOB_NAME === null) node.unreadable.forget(targets[index] as RowTarget);
    else readPlainJob(row, node);
  }
}

/** Reads the calendars. Removes deleted calendars from the list of unreadable rows. */
async function examineCalendars(tx: SqlTransaction, node: SqlNode, targets: readonly RowTarget[]): Promise<void> {
  type Row = { readonly CALENDAR_NAME: string; readonly CALENDAR: Uint8Array };
  const { schedName } = node;
  const names = targets.map(({ name }) => name);
  const rows = await selectByRows<Row>(tx, 'selectCalendars', { schedName }, names);
  const stored = new Map(rows.map(({ CALENDAR_NAME, CALENDAR }) => [CALENDAR_NAME, CALENDAR]));
  for (const target of targets) {
    const bytes = stored.get(target.name);
    if (bytes === undefined) node.unreadable.forget(target);
    else readPlainCalendar(target.name, bytes, node);
  }
}

const keyOf = ({ group, name }: RowTarget) => ({ group: group ?? '', name });

/** Reads every row of the schedule, and computes the next firing of each trigger. Returns the rows that this node cannot read. */
export async function examineSchedule(tx: SqlTransaction, node: SqlNode): Promise<readonly UnreadableRow[]> {
  const { schedName } = node;
  for (const group of await selectJobGroups(tx, node, EVERY_GROUP)) {
    await examineJobsIn(tx, node, group);
  }
  const calendars = await tx.all<{ CALENDAR_NAME: string }>('selectCalendarNames', { schedName });
  const names = calendars.map(({ CALENDAR_NAME: name }) => ({ what: 'calendar', group: null, name }) as const);
  await examineCalendars(tx, node, names);
  for (let after: TriggerKey | null | undefined; after !== null; ) {
    const { keys, next } = await triggersAfter(tx, node, after ?? null);
    await examineTriggers(
      tx,
      node,
      keys.map((key) => ({ what: 'trigger', ...key }) as const),
    );
    after = next;
  }
  return node.unreadable.rows;
}

async function examineJobsIn(tx: SqlTransaction, node: SqlNode, group: string): Promise<void> {
  const { schedName } = node;
  const named = await tx.all<Pick<JobRow, 'JOB_NAME' | 'JOB_GROUP'>>('selectJobsOfGroups', {
    schedName,
    rows: JSON.stringify([group]),
  });
  for (let start = 0; start < named.length; start += PAGE) {
    const keys = named.slice(start, start + PAGE).map(jobKeyOf);
    type Row = JobRow & { readonly POSITION: number };
    const rows = await selectOrdered<Row>(tx, 'selectJobs', { schedName }, keys.map(jobKeyColumns));
    for (const row of rows) if (row.JOB_NAME !== null) readPlainJob(row, node);
  }
}

async function triggersAfter(tx: SqlTransaction, node: SqlNode, after: TriggerKey | null) {
  const { rows, next } = await findWithoutTypeRow(tx, node, { after, maxCount: PAGE });
  return { keys: rows.map(triggerKeyOf), next };
}
