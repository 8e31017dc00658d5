import type { SqlNode } from '../rows/sql-node';
import { type RowOfSet, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';

const STATEMENTS = {
  SIMPLE: 'deleteSimpleTriggers',
  CRON: 'deleteCronTriggers',
  CAL_INT: 'deleteSimpropTriggers',
  DAILY_I: 'deleteSimpropTriggers',
  BLOB: 'deleteBlobTriggers',
} as const;

const EVERY_STATEMENT = new Set(Object.values(STATEMENTS));

/** Deletes what the kinds of triggers keep beside them; a type nobody knows may have rows anywhere. */
export async function deleteKindRows(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  types: ReadonlySet<string | null>,
  rows: readonly RowOfSet[],
): Promise<void> {
  await Promise.all([...statementsFor(types)].map((statement) => writeRows(tx, statement, { schedName }, rows)));
}

function statementsFor(types: ReadonlySet<string | null>): ReadonlySet<(typeof STATEMENTS)[keyof typeof STATEMENTS]> {
  const statements = new Set<(typeof STATEMENTS)[keyof typeof STATEMENTS]>();
  for (const type of types) {
    if (type === null || !Object.hasOwn(STATEMENTS, type)) return EVERY_STATEMENT;
    statements.add(STATEMENTS[type as keyof typeof STATEMENTS]);
  }
  return statements;
}
