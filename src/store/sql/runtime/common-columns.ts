import { type ListedValue, type OptionalValue, optional, type RowBatch } from './row-batches';
import type { SqlParams } from './sql-driver';
import type { StatementName } from './statement-names';

/** How rows are written that agree in all but their first columns. */
export interface CommonColumnsInsert {
  readonly statement: StatementName;
  /** How many columns are each row's own. */
  readonly own: number;
  /** The parameters that take the others, in the order of the columns. */
  readonly common: readonly string[];
}

export const ALIKE_JOBS: CommonColumnsInsert = {
  statement: 'insertAlikeJobs',
  own: 2,
  common: ['jobType', 'isDurable', 'isNonconcurrent', 'isUpdateData', 'requestsRecovery', 'description', 'jobData'],
};

export const ALIKE_TRIGGERS: CommonColumnsInsert = {
  statement: 'insertAlikeTriggers',
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

export const ALIKE_SIMPLE_TRIGGERS: CommonColumnsInsert = {
  statement: 'insertAlikeSimpleTriggers',
  own: 2,
  common: ['repeatCount', 'repeatInterval', 'timesTriggered'],
};

/** A set whose rows are lists, and whose statement takes nothing besides. */
export type ListedSet = Pick<RowBatch, 'statement'> & { readonly rows: readonly (readonly ListedValue[])[] };

/**
 * The set, with what all of its rows have in common said once, if all of them have: rows that are made by the thousand mostly
 * do, and a server takes most of the time that their JSON takes for such columns.
 */
export function withCommonColumns(set: ListedSet, { statement, own, common }: CommonColumnsInsert): RowBatch {
  const { rows } = set;
  const [first] = rows;
  if (first === undefined || !rows.every((row) => agree(row, first, own))) return set;
  const params: Record<string, SqlParams[string]> = {};
  for (const [index, name] of common.entries()) params[name] = plain(first[own + index] ?? optional(null));
  return { statement, rows: rows.map((row) => row.slice(0, own)), params };
}

function agree(row: readonly ListedValue[], other: readonly ListedValue[], own: number): boolean {
  for (let column = own; column < row.length; column++) {
    if (plain(row[column] as ListedValue) !== plain(other[column] as ListedValue)) return false;
  }
  return true;
}

function plain(value: ListedValue): string | number | null {
  return isOptional(value) ? (value[0] ?? null) : value;
}

function isOptional(value: ListedValue): value is OptionalValue {
  return typeof value === 'object';
}
