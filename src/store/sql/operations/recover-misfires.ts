import { compareDue } from '../../../domain/acquisition';
import { misfireTime, recoverMisfire } from '../../../domain/misfire';
import type { Trigger } from '../../../domain/trigger';
import type { MisfireRequest, MisfireSweep } from '../../job-store';
import { earliestOf } from '../rows/earliest';
import { computed, type ReadTrigger, readTrigger } from '../rows/read-rows';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { type TriggerRecord, toTriggerRow } from '../rows/trigger-record';
import type { FoundBatch } from '../runtime/bisect-batch';
import type { SqlTransaction } from '../runtime/sql-driver';
import { readMisfiredRemaining } from './passed-over';
import { unlocked } from './skip-locked';
import { advanceTriggers } from './write-triggers';

type Misfired = Pick<ReadTrigger, 'row' | 'trigger' | 'calendar'>;

/** What a sweep came to for one trigger; `after` null: this node cannot compute it. */
type Recovered = Misfired & { readonly after: Trigger | null };

/** Whether anything has misfired that this node may touch: asked without the lock, which a sweep that finds nothing need not take. */
export async function hasMisfired(tx: SqlTransaction, node: SqlNode, request: MisfireRequest): Promise<boolean> {
  if (node.unreadable.hasNoTrigger) return (await selectMisfired(tx, node, request, { limit: 1, skip: 0 })).length > 0;
  const { rows } = await readMisfiredRemaining(tx, node, request, 1);
  return rows.some((row) => readTrigger(row, node) !== null);
}

/** Applies the misfire instruction of the longest waiting misfired triggers. To be run under TRIGGER_ACCESS. */
export async function recoverMisfires(
  tx: SqlTransaction,
  node: SqlNode,
  request: MisfireRequest & Partial<FoundBatch>,
): Promise<MisfireSweep> {
  const { misfired, more } = await readMisfired(tx, node, request);
  request.onBatch?.(misfired.map(({ trigger }) => trigger.key));
  const recovered = misfired.map((each) => ({ ...each, after: recover(each, node, request) }));
  await save(tx, node, recovered);
  const after = recovered.map((each) => each.after).filter((trigger) => trigger !== null);
  return {
    misfired: recovered.filter(({ after }) => after !== null).map(({ trigger }) => trigger),
    finalized: after.filter(({ nextFireTime }) => nextFireTime === null),
    earliestNextFireTime: earliestOf(after.map(({ nextFireTime }) => nextFireTime)) ?? null,
    more,
  };
}

/** Reads on past rows that cannot be read or are set aside: they keep their place in front, and would starve the others for ever. */
async function readMisfired(tx: SqlTransaction, node: SqlNode, request: MisfireRequest) {
  const misfired: Misfired[] = [];
  for await (const rows of misfiredPages(tx, node, request)) {
    for (const row of await unlocked(tx, node, rows)) {
      if (node.rejectedTriggers.has(triggerKeyOf(row))) continue;
      const read = readTrigger(row, node);
      if (read !== null) misfired.push(read);
    }
    if (misfired.length > request.maxCount) break;
  }
  misfired.sort((a, b) => compareDue(a.trigger, b.trigger));
  return { misfired: misfired.slice(0, request.maxCount), more: misfired.length > request.maxCount };
}

async function* misfiredPages(
  tx: SqlTransaction,
  node: SqlNode,
  request: MisfireRequest,
): AsyncGenerator<readonly TriggerRow[], void> {
  const limit = request.maxCount + 1;
  if (!node.unreadable.hasNoTrigger) {
    yield (await readMisfiredRemaining(tx, node, request, limit)).rows;
    return;
  }
  for (let skip = 0; ; skip += limit) {
    const rows = await selectMisfired(tx, node, request, { limit, skip });
    yield rows;
    if (rows.length < limit) return;
  }
}

function recover({ row, trigger, calendar }: Misfired, node: SqlNode, request: MisfireRequest): Trigger | null {
  return computed(row, node, () => recoverMisfire(trigger, calendar?.calendar ?? null, request));
}

/** What this node cannot compute stays as it is. */
async function save(tx: SqlTransaction, node: SqlNode, recovered: readonly Recovered[]): Promise<void> {
  const advanced = recovered.flatMap(({ row, trigger, after }) => {
    if (after === null) return [];
    const state = after.nextFireTime === null ? ('COMPLETE' as const) : ('WAITING' as const);
    return [{ from: row, before: trigger, trigger: after, state }];
  });
  await advanceTriggers(tx, node, advanced);
}

async function selectMisfired(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  request: MisfireRequest,
  page: { readonly limit: number; readonly skip: number },
): Promise<TriggerRow[]> {
  const params = { schedName, misfireTime: misfireTime(request), ...page };
  return (await tx.all<TriggerRecord>('selectMisfiredTriggers', params)).map(toTriggerRow);
}
