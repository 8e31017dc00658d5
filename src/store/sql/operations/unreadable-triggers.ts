import type { EpochMs } from '../../../base/clock';
import type { TriggerKey } from '../../../domain/keys';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import { selectTriggerRows } from './select-triggers';

/** Number of unreadable triggers to read again although they seem unchanged, in case they have changed. The ones read longest ago come first. */
export const READ_AGAIN = 10;

/** Number of keys read at once. */
const PAGE = 5_000;

/** Maximum number of rows to read at once; a row may have 130 kB. */
export const MAX_ROWS = 200;

/** Full rows, and the fire time before which only known unreadable triggers were found so far. */
export interface ReadablePage {
  readonly rows: readonly TriggerRow[];
  readonly unreadableBefore: EpochMs;
}

/**
 * Reads triggers if nearly all of them are unreadable for this node. `statement` reads their keys. Full rows are read only for triggers not
 * known to be unreadable, and for a few known ones, in case they have changed. The first page has `limit` rows, and each further page twice as
 * many.
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
