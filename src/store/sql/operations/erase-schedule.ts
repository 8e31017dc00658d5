import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';

/** What refers to something goes before it. */
const STATEMENTS = [
  'deleteEveryFiring',
  'deleteEverySimpleTrigger',
  'deleteEveryCronTrigger',
  'deleteEverySimpropTrigger',
  'deleteEveryBlobTrigger',
  'deleteEveryTrigger',
  'deleteEveryJob',
  'deleteEveryCalendar',
  'deleteEveryPausedGroup',
  'deleteEveryDeclared',
  'deleteEveryCheckIn',
  'deleteEveryNode',
  'deleteEveryFact',
  'deleteEveryLock',
] as const;

/** Deletes every row of the scheduler's name, from every table. To be run under both locks, whose rows go too. */
export async function eraseSchedule(tx: SqlTransaction, { schedName }: SqlNode): Promise<void> {
  for (const statement of STATEMENTS) await tx.run(statement, { schedName });
}
