import type { EpochMs } from '../../../base/clock';
import type { LimitCapacity, Moving, Waiting } from '../../../domain/batch-limiter';
import { type AcquiredTrigger, type FireResult, type NotFiredReason, refusalReason } from '../../../domain/firing';
import { keyText } from '../../../domain/keys';
import { demandOf } from '../../../domain/limit-claims';
import { mayTake } from '../../../domain/placement';
import { nextState, type TriggerState } from '../../../domain/trigger-state';
import type { NodeTransaction, NodeTransactions } from '../rows/node-transaction';
import { readPlainTrigger, readTrigger } from '../rows/read-rows';
import { keyList, toState } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { deleteReservations, selectFiredTriggers } from './fired-triggers';
import {
  firingFlags,
  type PlannedFiring,
  planFiringOf,
  readCapacityFor,
  refuse,
  saveFirings,
  saveTurns,
  underTerms,
} from './firings';
import { isOurs, isolateFailures, reject, releaseOrKeep, selectReserved } from './refused-triggers';
import type { FoundTrigger } from './select-definitions';
import { moveTriggers } from './write-triggers';

/** Fires the reservations that this node still owns. Returns one result each. Releases a trigger that the database rejects, and fires the rest. */
export async function fire(
  transactions: NodeTransactions,
  acquired: readonly AcquiredTrigger[],
  now: EpochMs,
): Promise<readonly FireResult[]> {
  const run = (part: readonly AcquiredTrigger[]) =>
    transactions.run('TRIGGER_ACCESS', (tx) => fireTriggers(tx, part, now), {
      isSplit: part.length > 1,
      resolveUnknown: async (tx, result) => {
        const fired = result.flatMap((each) => (each.status === 'fired' ? [each.firing.runId] : []));
        const stored = await selectFiredTriggers(tx, fired, 'EXECUTING');
        // `notCommitted` repeats the transaction with the same reservations.
        return stored.size > 0 ? { status: 'committed', result } : { status: 'notCommitted' };
      },
    });
  const rejected: AcquiredTrigger[] = [];
  const results = await isolateFailures(acquired, run, (each, error): FireResult => {
    reject(transactions.node, each.trigger.key, 'firing', error);
    rejected.push(each);
    return { status: 'notFired', acquired: each, reason: 'failed' };
  });
  await releaseOrKeep(transactions, rejected);
  return results;
}

/** A reservation with its stored state, and the decision whether it fires. */
type Claim = { readonly acquired: AcquiredTrigger; readonly found: FoundTrigger } & Verdict;

/** Planned firing of a reservation, or the reason for a refusal. `verdict`: set if a concurrency limit or a rate limit refused the firing. */
type Verdict =
  | { readonly planned: PlannedFiring }
  | { readonly refused: NotFiredReason; readonly verdict?: Waiting | Moving };

/** Fires the reservations that this node still owns, with one result per reservation, in the same order. Must run under TRIGGER_ACCESS. */
export async function fireTriggers(
  tx: NodeTransaction,
  acquired: readonly AcquiredTrigger[],
  now: EpochMs,
): Promise<readonly FireResult[]> {
  const found = await selectReserved(tx, acquired);
  const judge = judgeIn(tx.node, now);
  const judged = acquired.map((each, index): Claim => {
    const stored = found[index] as FoundTrigger;
    return { acquired: each, found: stored, ...judge(each, stored) };
  });
  const reads = judged.flatMap((claim) => ('planned' in claim ? [claim.planned.read] : []));
  const capacity = await readCapacityFor(tx, { now }, reads);
  const claims = capacity === null ? judged : judged.map((claim) => withinCapacity(capacity, tx.node, claim));
  await releaseRefused(tx, claims);
  await saveTurns(tx, capacity);
  const planned = claims.flatMap((claim) => ('planned' in claim ? [claim.planned] : []));
  await saveFirings(tx, planned, { statement: 'markExecuting', now, rows: planned.map(executingRow) });
  return claims.map((claim) =>
    'planned' in claim
      ? { status: 'fired', firing: claim.planned.firing }
      : { status: 'notFired', acquired: claim.acquired, reason: claim.refused },
  );
}

/** Refuses a firing whose concurrency limit or rate limit has no capacity. Otherwise adds the effects of its limits to the firing. */
function withinCapacity(capacity: LimitCapacity, node: SqlNode, claim: Claim): Claim {
  if (!('planned' in claim)) return claim;
  const { acquired, found, planned } = claim;
  const demand = demandOf(planned.read, node.policy.groupLimits);
  if (demand === null) return claim;
  const verdict = capacity.admit(planned.read, demand);
  if (verdict.status !== 'taken') return { acquired, found, refused: 'blocked', verdict };
  return { acquired, found, planned: underTerms(planned, verdict.terms) };
}

/** Decides about one reservation per call, and tracks those admitted: a batch from several transactions may contain a job or trigger twice. */
function judgeIn(node: SqlNode, now: EpochMs) {
  const taken = new Set<string>();
  return (acquired: AcquiredTrigger, found: FoundTrigger): Verdict => {
    const { row } = found;
    if (row === null || taken.has(acquired.runId) || !isOurs(acquired, found)) return lost(acquired, found, node);
    if (row.JOB_EXECUTING === 1) return { refused: 'blocked' };
    if (row.CALENDAR_NAME !== null && row.CALENDAR === null) return { refused: 'calendarMissing' };
    const read = readTrigger(row, node);
    if (read === null) return { refused: 'invalid' };
    if (!mayTake(node.scope, read)) return { refused: 'elsewhere' };
    const { key, disallowConcurrentExecution } = read.jobDetail;
    const job = `job ${keyText(key)}`;
    if (disallowConcurrentExecution && taken.has(job)) return { refused: 'blocked' };
    const planned = planFiringOf(read, acquired.runId, node, { now, terms: null });
    if (planned === null) return { refused: 'invalid' };
    taken.add(acquired.runId);
    if (disallowConcurrentExecution) taken.add(job);
    return { planned };
  };
}

function lost(acquired: AcquiredTrigger, { row }: FoundTrigger, node: SqlNode): Verdict {
  if (row === null) return { refused: 'deleted' };
  const trigger = readPlainTrigger(row, node);
  return { refused: trigger === null ? 'changed' : refusalReason(acquired, { trigger, state: toState(row) }) };
}

function executingRow({ firing }: PlannedFiring) {
  return [firing.runId, firing.scheduledFireTime, ...keyList(firing.jobDetail.key), ...firingFlags(firing)];
}

/** Cancels refused reservations: deletes their fired triggers, and moves triggers that are still ACQUIRED to the state that the reason requires. */
async function releaseRefused(tx: NodeTransaction, claims: readonly Claim[]): Promise<void> {
  const refused = claims.filter((claim) => 'refused' in claim).filter(({ found }) => found.firedState === 'ACQUIRED');
  const entryIds = refused.map(({ acquired }) => acquired.runId);
  await deleteReservations(tx, entryIds);
  const moved = refused.flatMap(({ found: { row }, refused: reason, verdict }) => {
    const state = verdict?.status === 'moves' ? null : stateAfterRefusal(reason);
    return row === null || row.TRIGGER_STATE !== 'ACQUIRED' || state === null ? [] : [{ from: row, state }];
  });
  await moveTriggers(tx, moved);
  const limited = refused.flatMap(({ found: { row }, verdict }) =>
    row === null || verdict === undefined ? [] : [{ row, verdict }],
  );
  await refuse(tx, limited);
}

/** Returns the new state of a trigger whose reservation is refused; null if this node no longer holds the reservation. */
function stateAfterRefusal(reason: NotFiredReason): TriggerState | null {
  const atRest = { jobExecuting: false, groupPaused: false };
  switch (reason) {
    case 'blocked':
      return nextState('ACQUIRED', 'block', { ...atRest, jobExecuting: true });
    case 'calendarMissing':
      return nextState('ACQUIRED', 'fail', atRest);
    case 'elsewhere':
    case 'invalid': // other nodes may be able to read or compute it
      return nextState('ACQUIRED', 'release', atRest);
    default:
      return null;
  }
}
