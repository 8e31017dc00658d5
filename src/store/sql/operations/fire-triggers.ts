import type { EpochMs } from '../../../base/clock';
import { type AcquiredTrigger, type FireResult, type NotFiredReason, refusalReason } from '../../../domain/firing';
import { keyText } from '../../../domain/keys';
import { nextState, type TriggerState } from '../../../domain/trigger-state';
import { type ReadTrigger, readPlainTrigger, readTrigger } from '../rows/read-rows';
import { keyList, toState, toTime } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { firingFlags, type PlannedFiring, planFirings, type Reserved, saveFirings, toFireResult } from './plan-firings';
import { type FoundTrigger, selectTriggers } from './select-triggers';
import { moveTriggers } from './write-triggers';

/** One reservation and what is stored for it now. */
interface Claim {
  readonly acquired: AcquiredTrigger;
  readonly found: FoundTrigger;
}

type Verdict = { readonly read: ReadTrigger } | { readonly refused: NotFiredReason };

/** Fires what is still ours, one result per reservation, in their order. To be run under TRIGGER_ACCESS. */
export async function fireTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  acquired: readonly AcquiredTrigger[],
  now: EpochMs,
): Promise<readonly FireResult[]> {
  const sought = acquired.map(({ trigger, fireInstanceId }) => ({ key: trigger.key, entryId: fireInstanceId }));
  const found = await selectTriggers(tx, node, sought);
  const claims = acquired.map((each, index) => ({ acquired: each, found: found[index] as FoundTrigger }));
  const verdicts = judgeAll(claims, node);
  const planned = planFirings(
    verdicts.flatMap((verdict, index) => reservedBy(verdict, claims[index] as Claim)),
    node,
    now,
  );
  await giveUp(tx, node, claims, verdicts);
  await saveFirings(tx, node, planned, { statement: 'markExecuting', now, rows: planned.flatMap(executingRow) });
  await release(
    tx,
    node,
    planned.filter(({ firing }) => firing === null),
  );
  return toResults(claims, verdicts, planned);
}

function judgeAll(claims: readonly Claim[], node: SqlNode): readonly Verdict[] {
  const fired = new Set<string>();
  const serial = new Set<string>();
  return claims.map((claim) => {
    const verdict = fired.has(claim.acquired.fireInstanceId) ? lost(claim, node) : judge(claim, node);
    if (!('read' in verdict)) return verdict;
    const { jobDetail } = verdict.read;
    if (jobDetail.disallowConcurrentExecution) {
      // A batch that was acquired in several turns may hold two triggers of one job.
      if (serial.has(keyText(jobDetail.key))) return { refused: 'blocked' };
      serial.add(keyText(jobDetail.key));
    }
    fired.add(claim.acquired.fireInstanceId);
    return verdict;
  });
}

function judge(claim: Claim, node: SqlNode): Verdict {
  const { row } = claim.found;
  if (row === null || !isOurs(claim)) return lost(claim, node);
  if (row.JOB_EXECUTING === 1) return { refused: 'blocked' };
  if (row.CALENDAR_NAME !== null && row.CALENDAR === null) return { refused: 'calendarMissing' };
  const read = readTrigger(row, node);
  return read === null ? { refused: 'invalid' } : { read };
}

/** Our row is there, which every change deletes that ends a reservation, and the trigger is as it was acquired. */
function isOurs({ acquired, found: { row, firedState } }: Claim): boolean {
  return (
    firedState === 'ACQUIRED' &&
    row?.TRIGGER_STATE === 'ACQUIRED' &&
    toTime(row.NEXT_FIRE_TIME) === acquired.trigger.nextFireTime
  );
}

function lost({ acquired, found }: Claim, node: SqlNode): Verdict {
  const { row } = found;
  if (row === null) return { refused: 'deleted' };
  const trigger = readPlainTrigger(row, node);
  return { refused: trigger === null ? 'changed' : refusalReason(acquired, { trigger, state: toState(row) }) };
}

function reservedBy(verdict: Verdict, { acquired }: Claim): readonly Reserved[] {
  return 'read' in verdict ? [{ read: verdict.read, fireInstanceId: acquired.fireInstanceId }] : [];
}

function executingRow({ firing, fireInstanceId }: PlannedFiring) {
  if (firing === null) return [];
  return [[fireInstanceId, firing.scheduledFireTime, ...keyList(firing.jobDetail.key), ...firingFlags(firing)]];
}

/** What this node cannot compute after all is given back, for others to fire. */
async function release(tx: SqlTransaction, node: SqlNode, planned: readonly PlannedFiring[]): Promise<void> {
  await deleteReservations(
    tx,
    node,
    planned.map(({ fireInstanceId }) => fireInstanceId),
  );
  await moveTriggers(
    tx,
    node,
    planned.map(({ read }) => ({ from: read.row, state: nextState('ACQUIRED', 'release', AT_REST) })),
  );
}

const AT_REST = { jobExecuting: false, groupPaused: false } as const;

/** A refused reservation owns no running job: its row goes, and its trigger moves where it still stands reserved for us. */
async function giveUp(
  tx: SqlTransaction,
  node: SqlNode,
  claims: readonly Claim[],
  verdicts: readonly Verdict[],
): Promise<void> {
  const refused = claims.flatMap((claim, index) => {
    const verdict = verdicts[index] as Verdict;
    return 'read' in verdict || claim.found.firedState !== 'ACQUIRED' ? [] : [{ ...claim, reason: verdict.refused }];
  });
  await deleteReservations(
    tx,
    node,
    refused.map(({ acquired }) => acquired.fireInstanceId),
  );
  const moved = refused.flatMap(({ found: { row }, reason }) => {
    const state = stateAfterRefusal(reason);
    return row === null || row.TRIGGER_STATE !== 'ACQUIRED' || state === null ? [] : [{ from: row, state }];
  });
  await moveTriggers(tx, node, moved);
}

/** Of a trigger that is still reserved for us; null: for these reasons it is not, or no longer. */
function stateAfterRefusal(reason: NotFiredReason): TriggerState | null {
  switch (reason) {
    case 'blocked':
      return nextState('ACQUIRED', 'block', { jobExecuting: true, groupPaused: false });
    case 'calendarMissing':
      return nextState('ACQUIRED', 'fail', AT_REST);
    case 'invalid':
      return nextState('ACQUIRED', 'release', AT_REST);
    default:
      return null;
  }
}

/** Deletes what this node reserved, by entry id. */
export async function deleteReservations(
  tx: SqlTransaction,
  node: SqlNode,
  entryIds: readonly string[],
): Promise<void> {
  const { schedName, instanceId } = node;
  await writeRows(
    tx,
    'deleteReservations',
    { schedName, instanceId },
    entryIds.map((entryId) => ({ entryId })),
  );
}

function toResults(
  claims: readonly Claim[],
  verdicts: readonly Verdict[],
  planned: readonly PlannedFiring[],
): readonly FireResult[] {
  const fired = planned[Symbol.iterator]();
  return verdicts.map((verdict, index) => {
    if ('read' in verdict) return toFireResult(fired.next().value as PlannedFiring);
    return { status: 'notFired', acquired: (claims[index] as Claim).acquired, reason: verdict.refused };
  });
}
