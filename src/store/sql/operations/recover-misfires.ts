import { compareDue } from '../../../domain/acquisition';
import { formatKey } from '../../../domain/keys';
import { misfireTime, recoverMisfire } from '../../../domain/misfire';
import type { Trigger } from '../../../domain/trigger';
import type { MisfireRequest, MisfireSweep } from '../../job-store';
import { readable, type TriggerRow, toCalendar, toTrigger, triggerKeyOf } from '../rows';
import type { FoundBatch } from '../run-in-halves';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { toTriggerRow, type WholeTrigger } from '../whole-trigger';
import { unlocked } from './due-triggers';
import { earliestOf } from './earliest';
import { advanceTriggers, moveTriggers } from './write-triggers';

interface Misfired {
  readonly row: TriggerRow;
  readonly trigger: Trigger;
}

/** What a sweep came to for one trigger; `after` null: it cannot be computed. */
interface Recovered extends Misfired {
  readonly after: Trigger | null;
}

/** Whether anything has misfired: asked without the lock, which a sweep that finds nothing need not take. */
export async function hasMisfired(tx: SqlTransaction, node: SqlNode, request: MisfireRequest): Promise<boolean> {
  return (await selectMisfired(tx, node, request, { limit: 1, skip: 0 })).length > 0;
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
    misfired: recovered.map(({ trigger }) => trigger),
    finalized: after.filter(({ nextFireTime }) => nextFireTime === null),
    earliestNextFireTime: earliestOf(after.map(({ nextFireTime }) => nextFireTime)) ?? null,
    more,
  };
}

/** Reads on past rows that cannot be read or are set aside: they keep their place in front, and would starve the others for ever. */
async function readMisfired(tx: SqlTransaction, node: SqlNode, request: MisfireRequest) {
  const limit = request.maxCount + 1;
  const misfired: Misfired[] = [];
  for (let skip = 0; ; skip += limit) {
    const rows = await selectMisfired(tx, node, request, { limit, skip });
    for (const row of await unlocked(tx, node, rows)) {
      if (node.setAside.has(triggerKeyOf(row))) continue;
      const subject = { what: 'trigger', name: formatKey(triggerKeyOf(row)) } as const;
      const trigger = readable(node, subject, () => toTrigger(row, node));
      if (trigger !== null) misfired.push({ row, trigger });
    }
    if (rows.length < limit || misfired.length > request.maxCount) break;
  }
  misfired.sort((a, b) => compareDue(a.trigger, b.trigger));
  return { misfired: misfired.slice(0, request.maxCount), more: misfired.length > request.maxCount };
}

function recover({ row, trigger }: Misfired, node: SqlNode, request: MisfireRequest): Trigger | null {
  const subject = { what: 'trigger', name: formatKey(trigger.key) } as const;
  return readable(node, subject, () => recoverMisfire(trigger, toCalendar(row)?.calendar ?? null, request));
}

async function save(tx: SqlTransaction, node: SqlNode, recovered: readonly Recovered[]): Promise<void> {
  const advanced = recovered.flatMap(({ row, trigger, after }) =>
    after === null
      ? []
      : [
          {
            from: row,
            before: trigger,
            trigger: after,
            state: after.nextFireTime === null ? ('COMPLETE' as const) : ('WAITING' as const),
          },
        ],
  );
  await advanceTriggers(tx, node, advanced);
  // One that cannot be computed must not be swept again and again.
  const failed = recovered.filter(({ after }) => after === null);
  await moveTriggers(
    tx,
    node,
    failed.map(({ row }) => ({ from: row, state: 'ERROR' })),
  );
}

async function selectMisfired(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  request: MisfireRequest,
  page: { readonly limit: number; readonly skip: number },
): Promise<TriggerRow[]> {
  const params = { schedName, misfireTime: misfireTime(request), ...page };
  return (await tx.all<WholeTrigger>('selectMisfiredTriggers', params)).map(toTriggerRow);
}
