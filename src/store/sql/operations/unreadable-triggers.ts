import type { EpochMs } from '../../../base/clock';
import type { TriggerKey } from '../../../domain/keys';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import { selectTriggerRows } from './select-triggers';

/** Of unreadable triggers that seem to be as they were, so many are read again each time, those first that were not for the longest time. */
const READ_AGAIN = 10;

/** Keys that are read at once. */
const PAGE = 5_000;

/**
 * Reads where nearly every trigger is one that this node cannot read: their keys first, by `statement`, then at most `maxCount` whole
 * rows of those that are not known to be unreadable as they stand, and a few others to see whether they changed. `next`: the fire time of
 * the first that was left for another reading; null: none was.
 */
export async function readWithoutUnreadable(
  tx: SqlTransaction,
  node: SqlNode,
  { statement, params }: { readonly statement: 'selectDueKeys' | 'selectMisfiredKeys'; readonly params: SqlParams },
  maxCount: number,
): Promise<{ readonly rows: readonly TriggerRow[]; readonly next: EpochMs | null }> {
  type KeyRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'> & { readonly NEXT_FIRE_TIME: EpochMs };
  const known: TriggerKey[] = [];
  const others: TriggerKey[] = [];
  let next: EpochMs | null = null;
  for (let skip = 0; next === null; skip += PAGE) {
    const page = await tx.all<KeyRow>(statement, { schedName: node.schedName, ...params, limit: PAGE, skip });
    for (const row of page) {
      const key = triggerKeyOf(row);
      if (node.unreadable.isPassedOver(key, row.NEXT_FIRE_TIME)) known.push(key);
      else if (others.length < maxCount) others.push(key);
      else next ??= row.NEXT_FIRE_TIME;
    }
    if (page.length < PAGE) break;
  }
  const again = node.unreadable.oldest(known, READ_AGAIN);
  return { rows: await selectTriggerRows(tx, node, [...others, ...again]), next };
}
