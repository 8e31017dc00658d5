import type { ScheduleChange } from '../../../domain/schedule-change';
import type { MarkedTransactions } from '../marked-transactions';
import { addsOnly, namesIn } from '../schedule-draft/names-in-changes';
import type { SqlNode } from '../sql-node';
import type { Work } from '../transactions';
import {
  type AppliedChanges,
  type ApplyAndFireOptions,
  addToSchedule,
  applySchedule,
  type NamedChanges,
  NotAllNew,
} from './apply-schedule';

/** Applies a change set: at once where it only adds, and all of that is new; otherwise what is stored is read first. */
export async function runChanges(
  transactions: MarkedTransactions,
  node: SqlNode,
  changes: readonly ScheduleChange[],
  options: ApplyAndFireOptions,
): Promise<AppliedChanges> {
  const named = { changes, names: namesIn(changes) };
  const added = addsOnly(named.names) ? await runAdditions(transactions, node, named, options) : null;
  return added ?? transactions.run((tx) => applySchedule(tx, node, named, options), { startsAtOnce: true });
}

/** Null: not everything is new. */
async function runAdditions(
  transactions: MarkedTransactions,
  node: SqlNode,
  named: NamedChanges,
  options: ApplyAndFireOptions,
): Promise<AppliedChanges | null> {
  try {
    const add: Work<AppliedChanges> = (tx) => addToSchedule(tx, node, named, options);
    return await transactions.run(add, { startsAtOnce: true, alwaysChanges: true });
  } catch (error) {
    if (error instanceof NotAllNew) return null;
    throw error;
  }
}
