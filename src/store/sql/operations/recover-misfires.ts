import { earliestOf } from '../../../base/clock';
import { compareDue } from '../../../domain/acquisition';
import { recoverMissed } from '../../../domain/catch-up';
import { keyText } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import { hasEnded, isEndedByCalendar } from '../../../domain/trigger-end';
import type { MisfireRequest, MisfireSweep } from '../../job-store';
import type { NodeTransaction, NodeTransactions } from '../rows/node-transaction';
import { computed, type ReadTrigger, readTrigger, type TriggerRecord, toTriggerRow } from '../rows/read-rows';
import { type TriggerRow, toTime, triggerKeyOf } from '../rows/rows';
import { withRulesOf } from '../rows/sql-node';
import type { CommitResolution } from '../runtime/transactions';
import { readPastUnreadable } from './due-scan';
import { deleteEndedUnlessJava } from './ended-triggers';
import { saveFirstDue } from './misfired';
import { storeMissed } from './missed-times';
import { type FoundBatch, isolateFoundFailures, reject, withoutLocked } from './refused-triggers';
import { selectTriggerRows } from './select-definitions';
import { advanceTriggers } from './write-triggers';

const NO_MISFIRES: MisfireSweep = {
  misfired: [],
  finalized: [],
  endedByCalendar: [],
  deletedJobs: [],
  earliestNextFireTime: null,
  more: false,
};

/** Sweeps misfired triggers once. Skips a trigger that the database rejects, and recovers the rest. Acquires no lock if nothing has misfired. */
export async function sweepMisfires(transactions: NodeTransactions, request: MisfireRequest): Promise<MisfireSweep> {
  if (!(await transactions.read((tx) => hasMisfired(tx, request)))) return NO_MISFIRES;
  const run = (batch: FoundBatch) =>
    transactions.run('TRIGGER_ACCESS', (tx) => recoverMisfires(tx, { ...request, ...batch }), {
      isSplit: batch.maxCount > 1,
      resolveUnknown: (tx, sweep) => resolveUnknown(tx, sweep),
    });
  return isolateFoundFailures(request.maxCount, run, (key, error) =>
    reject(transactions.node, key, 'recovering the misfire of', error),
  );
}

/** True if any trigger has misfired, apart from triggers known to be unreadable on this node. */
async function hasMisfired(tx: NodeTransaction, request: MisfireRequest): Promise<boolean> {
  if (tx.node.unreadable.hasNoTrigger) return (await selectMisfired(tx, request, { limit: 1, skip: 0 })).length > 0;
  for await (const rows of pagesPastUnreadable(tx, request, 1)) {
    if (rows.some((row) => readTrigger(row, tx.node) !== null)) return true;
  }
  return false;
}

/** Applies the misfire instructions of at most `maxCount` misfired triggers, the earliest first. Must run under TRIGGER_ACCESS. */
export async function recoverMisfires(
  tx: NodeTransaction,
  request: MisfireRequest & Partial<FoundBatch>,
): Promise<MisfireSweep> {
  const found = await readMisfired(tx, request);
  const misfired = found.slice(0, request.maxCount);
  request.onBatch?.(misfired.map(({ trigger }) => trigger.key));
  const clock = withRulesOf(tx.node, request);
  const recovered = misfired.flatMap(({ row, trigger: before, jobDetail, calendar }) => {
    const missed = computed(row, tx.node, () =>
      recoverMissed(before, calendar?.calendar ?? null, clock, jobDetail.policy),
    );
    if (missed === null) return []; // a trigger that this node cannot compute stays unchanged
    const { trigger } = missed;
    const state = trigger.nextFireTime === null ? ('COMPLETE' as const) : ('WAITING' as const);
    return [{ ...missed, from: row, before, state, jobDetail }];
  });
  const [, earliest = null] = await Promise.all([
    advanceTriggers(tx, recovered),
    storeMissed(tx, recovered, request),
    saveFirstDue(tx, recovered),
  ]);
  const after = recovered.map(({ trigger }) => trigger);
  const ended = after.filter((trigger) => hasEnded(trigger, request.now));
  const deleted = await deleteEndedUnlessJava(
    tx,
    ended.map(({ key }) => key),
    request.now,
  );
  return {
    misfired: recovered.map(({ before }) => before),
    finalized: ended,
    endedByCalendar: after.filter((trigger) => isEndedByCalendar(trigger, request.now)),
    deletedJobs: deleted.jobs,
    earliestNextFireTime: earliestOf([earliest, ...after.map(({ nextFireTime }) => nextFireTime)]) ?? null,
    more: found.length > request.maxCount,
  };
}

/** Reads misfired triggers past unreadable or rejected rows, which stay first in every sweep and would otherwise block all later triggers. */
async function readMisfired(tx: NodeTransaction, request: MisfireRequest): Promise<ReadTrigger[]> {
  const misfired: ReadTrigger[] = [];
  for await (const rows of misfiredPages(tx, request)) {
    for (const row of await withoutLocked(tx, rows)) {
      if (tx.node.rejectedTriggers.has(triggerKeyOf(row))) continue;
      const read = readTrigger(row, tx.node);
      if (read !== null) misfired.push(read);
    }
    if (misfired.length > request.maxCount) break;
  }
  return misfired.sort((a, b) => compareDue(a.trigger, b.trigger));
}

async function* misfiredPages(
  tx: NodeTransaction,
  request: MisfireRequest,
): AsyncGenerator<readonly TriggerRow[], void> {
  const limit = request.maxCount + 1;
  if (!tx.node.unreadable.hasNoTrigger) {
    yield* pagesPastUnreadable(tx, request, limit);
    return;
  }
  for (let skip = 0; ; skip += limit) {
    const rows = await selectMisfired(tx, request, { limit, skip });
    yield rows;
    if (rows.length < limit) return;
  }
}

async function selectMisfired(
  tx: NodeTransaction,
  request: MisfireRequest,
  page: { readonly limit: number; readonly skip: number },
): Promise<readonly TriggerRow[]> {
  const params = { misfireTime: misfireTime(request), ...page };
  return (await tx.all<TriggerRecord>('selectMisfiredTriggers', params)).map(toTriggerRow);
}

async function* pagesPastUnreadable(
  tx: NodeTransaction,
  request: MisfireRequest,
  limit: number,
): AsyncGenerator<readonly TriggerRow[], void> {
  const query = { statement: 'selectMisfiredKeys', params: { misfireTime: misfireTime(request) } } as const;
  for await (const { rows } of readPastUnreadable(tx, query, limit)) yield rows;
}

/** Checks whether a commit without an answer took effect, and so moved every trigger. A repeated sweep would not find and report them again. */
async function resolveUnknown(tx: NodeTransaction, sweep: MisfireSweep): Promise<CommitResolution<MisfireSweep>> {
  const times = new Map(sweep.misfired.map(({ key, nextFireTime }) => [keyText(key), nextFireTime]));
  const keys = sweep.misfired.map(({ key }) => key);
  const isAsRead = (await selectTriggerRows(tx, keys)).some((row) => {
    const time = times.get(keyText(triggerKeyOf(row)));
    return row.TRIGGER_STATE === 'WAITING' && toTime(row.NEXT_FIRE_TIME) === time;
  });
  return isAsRead ? { status: 'notCommitted' } : { status: 'committed', result: sweep };
}
