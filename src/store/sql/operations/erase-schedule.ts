import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';

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
