import type { TriggerKey } from '../../../domain/keys';
import type { KindSweep, KindSweepRequest } from '../../cluster-store';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlDriver, SqlTransaction } from '../runtime/sql-driver';
import { moveTriggers } from './write-triggers';

type KindRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'TRIGGER_STATE'> & { readonly HAS_KIND: number };

/** What a page of the triggers shows. */
export interface KindReading {
  /** All of the page. */
  readonly rows: readonly KindRow[];
  /** Those without the row of their kind that nobody holds. */
  readonly withoutKind: readonly KindRow[];
  /** Where the next page begins; null: there is none. */
  readonly next: TriggerKey | null;
}

/** Something that reads rows: a transaction, or the driver for one statement. */
export type Select = <Row>(
  statement: 'selectTriggerKinds',
  params: Parameters<SqlDriver['select']>[1],
) => Promise<readonly Row[]>;

/** An ACQUIRED one is its holder's until that gives it back, a finished one is nobody's concern. */
const AT_REST: ReadonlySet<string> = new Set(['WAITING', 'PAUSED', 'BLOCKED', 'PAUSED_BLOCKED']);

/** Before every key: none is empty. */
const BEFORE_ALL: TriggerKey = { name: '', group: '' };

/** Looks, without any lock; what is found must be looked for again under TRIGGER_ACCESS. */
export async function findWithoutKind(
  select: Select,
  { schedName }: SqlNode,
  { after, maxCount }: KindSweepRequest,
): Promise<KindReading> {
  const { name: afterName, group: afterGroup } = after ?? BEFORE_ALL;
  const page = await select<KindRow>('selectTriggerKinds', { schedName, afterName, afterGroup, limit: maxCount });
  const last = page.length < maxCount ? undefined : page.at(-1);
  return {
    rows: page,
    withoutKind: page.filter(({ HAS_KIND, TRIGGER_STATE }) => HAS_KIND === 0 && AT_REST.has(TRIGGER_STATE)),
    next: last === undefined ? null : triggerKeyOf(last),
  };
}

/** Leaves in ERROR what lacks the row of its kind. To be run under TRIGGER_ACCESS. */
export async function failKindless(tx: SqlTransaction, node: SqlNode, request: KindSweepRequest): Promise<KindSweep> {
  const { withoutKind, next } = await findWithoutKind((name, params) => tx.all(name, params), node, request);
  await moveTriggers(
    tx,
    node,
    withoutKind.map((from) => ({ from, state: 'ERROR' })),
  );
  return { failed: withoutKind.map(triggerKeyOf), next };
}
