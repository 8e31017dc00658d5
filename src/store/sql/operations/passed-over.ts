import type { EpochMs } from '../../../base/clock';
import type { TriggerKey } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest, MisfireRequest } from '../../job-store';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import { selectTriggerRows } from './select-triggers';

/** Of unreadable triggers that seem to be as they were, so many are looked at again each time, the longest unseen first. */
const LOOKED_AT_AGAIN = 10;

const PAGE = 5_000;

type KeyRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'> & { readonly NEXT_FIRE_TIME: EpochMs };

/** Rows among those that are passed over by their keys. */
export interface Remaining {
  /** Whole: those that are not known to be unreadable as they stand now, and a few others to see whether they changed. */
  readonly rows: readonly TriggerRow[];
  /** Not all are in `rows`: where, in the order of fire times, those begin that are not; null: all are. */
  readonly next: EpochMs | null;
}

/** What is due before `end` where nearly everything is unreadable. The bytes of what is passed over are not even read. */
export function readDueRemaining(
  tx: SqlTransaction,
  node: SqlNode,
  request: AcquireRequest,
  end: EpochMs,
): Promise<Remaining> {
  const params = { rows: JSON.stringify(request.jobTypes), misfireTime: misfireTime(request), end };
  return readRemaining(tx, node, { statement: 'selectDueKeys', params }, request.maxCount);
}

/** What has misfired where unreadable triggers stand in front. */
export function readMisfiredRemaining(
  tx: SqlTransaction,
  node: SqlNode,
  request: MisfireRequest,
  maxCount: number,
): Promise<Remaining> {
  const params = { misfireTime: misfireTime(request) };
  return readRemaining(tx, node, { statement: 'selectMisfiredKeys', params }, maxCount);
}

async function readRemaining(
  tx: SqlTransaction,
  node: SqlNode,
  { statement, params }: { readonly statement: 'selectDueKeys' | 'selectMisfiredKeys'; readonly params: SqlParams },
  maxCount: number,
): Promise<Remaining> {
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
  const again = node.unreadable.oldest(known, LOOKED_AT_AGAIN);
  return { rows: await selectTriggerRows(tx, node, [...others, ...again]), next };
}
