import type { ScheduleChange } from '../../../domain/schedule-change';
import type { ApplyScheduleOptions } from '../../job-store';
import type { SqlNode } from '../rows/sql-node';
import type { RowSubject } from '../rows/unreadable-rows';
import type { CommitTokens } from '../runtime/commit-tokens';
import type { Work } from '../runtime/transactions';
import { type AppliedChanges, addToSchedule, applySchedule, type NamedChanges, NotAllNew } from './apply-schedule';
import { addsOnly, concernsMany, namesIn } from './schedule-draft/names-in-changes';

/** What is read, decided and put together of more changes takes longer than a transaction may pause on a slow machine. */
export const MANY = 1_000;

/** Applies a change set: at once where it only adds, and all of that is new; otherwise what is stored is read first. */
export async function runChanges(
  transactions: CommitTokens,
  node: SqlNode,
  changes: readonly ScheduleChange[],
  options: ApplyScheduleOptions,
): Promise<AppliedChanges> {
  const named = { changes, names: namesIn(changes) };
  const pausesLong = changes.length > MANY || concernsMany(named.names);
  const added = addsOnly(named.names)
    ? await runAdditions(transactions, node, named, { ...options, pausesLong })
    : null;
  return added ?? transactions.run((tx) => applySchedule(tx, node, named, options), { pausesLong });
}

/** The rows that a change set writes. */
export function rowsIn(changes: readonly ScheduleChange[]): readonly RowSubject[] {
  return changes.flatMap((change): readonly RowSubject[] => {
    if (change.type === 'storeJob') return [{ what: 'job', ...change.job.key }];
    if (change.type === 'storeTrigger') return [{ what: 'trigger', ...change.trigger.key }];
    return change.type === 'storeCalendar' ? [{ what: 'calendar', group: null, name: change.name }] : [];
  });
}

/** Null: not everything is new. */
async function runAdditions(
  transactions: CommitTokens,
  node: SqlNode,
  named: NamedChanges,
  { pausesLong, ...options }: ApplyScheduleOptions & { readonly pausesLong: boolean },
): Promise<AppliedChanges | null> {
  try {
    const add: Work<AppliedChanges> = (tx) => addToSchedule(tx, node, named, options);
    return await transactions.run(add, { pausesLong });
  } catch (error) {
    if (error instanceof NotAllNew) return null;
    throw error;
  }
}
