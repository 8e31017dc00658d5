import type { EpochMs } from '../../../base/clock';
import type { TriggerKey } from '../../../domain/keys';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import { selectTriggerRows } from './select-triggers';

/** Unreadable triggers that seem unchanged and are read again anyway, in case they changed: those that were not for the longest time. */
export const READ_AGAIN = 10;

/** Keys that are read at once. */
const PAGE = 5_000;

/** Most rows that are read at once: a row may have 130 kB. */
export const MAX_ROWS = 200;

/** Whole rows, and the fire time before which only known unreadable triggers have been met so far. */
export interface ReadablePage {
  readonly rows: readonly TriggerRow[];
  readonly unreadableBefore: EpochMs;
}

/**
 * Reads triggers where nearly all are unreadable by this node: their keys first, by `statement`, then the whole rows of those that are not
 * known to be unreadable, `limit` of them first and more with each page, and of a few others, to see whether they changed.
 */
export async function* readPastUnreadable(
  tx: SqlTransaction,
  node: SqlNode,
  { statement, params }: { readonly statement: 'selectDueKeys' | 'selectMisfiredKeys'; readonly params: SqlParams },
  limit: number,
): AsyncGenerator<ReadablePage, void> {
  type KeyRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'> & { readonly NEXT_FIRE_TIME: EpochMs };
  let firstOther: EpochMs | null = null;
  let size = limit;
  for (let skip = 0; ; skip += PAGE) {
    const page = await tx.all<KeyRow>(statement, { schedName: node.schedName, ...params, limit: PAGE, skip });
    const known: TriggerKey[] = [];
    const others: TriggerKey[] = [];
    for (const row of page) {
      const key = triggerKeyOf(row);
      const isKnown = node.unreadable.isPassedOver(key, row.NEXT_FIRE_TIME);
      (isKnown ? known : others).push(key);
      if (!isKnown) firstOther ??= row.NEXT_FIRE_TIME;
    }
    const last = page.at(-1)?.NEXT_FIRE_TIME;
    const unreadableBefore = firstOther ?? (last === undefined ? Number.NEGATIVE_INFINITY : last + 1);
    let again = node.unreadable.oldest(known, READ_AGAIN);
    do {
      const keys = [...others.splice(0, Math.min(size, MAX_ROWS)), ...again];
      again = [];
      size *= 2;
      yield { rows: await selectTriggerRows(tx, node, keys), unreadableBefore };
    } while (others.length > 0);
    if (page.length < PAGE) return;
  }
}
