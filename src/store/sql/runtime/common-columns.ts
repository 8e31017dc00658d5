import { type ListedValue, writeEveryRow } from './row-batches';
import type { SqlParams, SqlTransaction } from './sql-driver';
import type { StatementName } from './statement-names';

/** How rows are inserted that agree in all but their first columns. */
export interface CommonColumnsInsert {
  readonly statement: StatementName;
  /** The same with the common columns as parameters. */
  readonly commonStatement: StatementName;
  /** How many columns are each row's own. */
  readonly own: number;
  /** The parameters that take the others, in the order of the columns. */
  readonly common: readonly string[];
}

export const JOBS: CommonColumnsInsert = {
  statement: 'insertJobs',
  commonStatement: 'insertAlikeJobs',
  own: 2,
  common: ['jobType', 'isDurable', 'isNonconcurrent', 'isUpdateData', 'requestsRecovery', 'description', 'jobData'],
};

export const TRIGGERS: CommonColumnsInsert = {
  statement: 'insertTriggers',
  commonStatement: 'insertAlikeTriggers',
  own: 6,
  common: [
    'previousFireTime',
    'priority',
    'triggerState',
    'triggerType',
    'endTime',
    'misfireInstruction',
    'description',
    'calendarName',
    'jobData',
  ],
};

export const SIMPLE_TRIGGERS: CommonColumnsInsert = {
  statement: 'insertSimpleTriggers',
  commonStatement: 'insertAlikeSimpleTriggers',
  own: 2,
  common: ['repeatCount', 'repeatInterval', 'timesTriggered'],
};

/**
 * Inserts rows; columns in which all agree are sent once. Rows that are made by the thousand mostly agree, and reading such
 * columns from JSON takes most of a server's time for the insert.
 */
export async function insertRows(
  tx: SqlTransaction,
  params: SqlParams,
  { statement, commonStatement, own, common }: CommonColumnsInsert,
  rows: readonly (readonly ListedValue[])[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const values = first.slice(own).map(toParameter);
  const agree = (row: readonly ListedValue[]) => values.every((value, at) => toParameter(row[own + at]) === value);
  if (!rows.every(agree)) return writeEveryRow(tx, statement, params, rows);
  const shared = Object.fromEntries(common.map((name, at) => [name, values[at] ?? null]));
  const ownColumns = rows.map((row) => row.slice(0, own));
  await writeEveryRow(tx, commonStatement, { ...params, ...shared }, ownColumns);
}

function toParameter(value: ListedValue | undefined): string | number | null {
  return typeof value === 'object' ? (value[0] ?? null) : (value ?? null);
}
