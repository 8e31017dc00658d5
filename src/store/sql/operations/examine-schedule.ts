import type { TriggerKey } from '../../../domain/keys';
import type { UnreadableRow } from '../../../domain/scheduler-event';
import { readPlainJob } from '../rows/read-rows';
import { type JobRow, jobKeyColumns, jobKeyOf, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { examineCalendars, examineTriggers, PAGE } from './list-unreadable';
import { EVERY_GROUP, selectJobGroups } from './paused-groups';
import { findWithoutTypeRow } from './sweep';

/** Reads every row of the schedule and computes with it, as firing would; what this node cannot understand. */
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
