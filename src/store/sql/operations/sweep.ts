import type { JobKey, TriggerKey } from '../../../domain/keys';
import type { SweepReport, TypeRowSweep, TypeRowSweepRequest } from '../../cluster-store';
import { jobKeyColumns, jobKeyOf, type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { findIdleLimits, type IdleLimits, wakeIdle } from './limits';
import { deletePlaces, findStalePlaces } from './places';
import { findIdleRates, type IdleRates, repairRates } from './rates';
import type { Reader } from './read-cluster';
import { moveTriggers } from './write-triggers';

/*
 * Two sweeps for states that cannot be. Each reads without any lock first, and what is found must be read again under TRIGGER_ACCESS.
 */

type StateRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'TRIGGER_STATE'>;

/** Triggers that are ACQUIRED by nobody, and jobs of triggers that are BLOCKED by no execution. */
export interface ImpossibleStates {
  readonly stranded: readonly StateRow[];
  readonly blocked: readonly JobKey[];
  readonly limits: IdleLimits;
  /** Triggers that are gone, and had places. */
  readonly stalePlaces: readonly TriggerKey[];
  readonly idleRates: IdleRates;
}

/** At most `limit` of each. */
export async function findImpossibleStates(reader: Reader, node: SqlNode, limit: number): Promise<ImpossibleStates> {
  const { schedName } = node;
  const stranded = await reader.all<StateRow>('selectStrandedTriggers', { schedName, limit });
  type Row = Pick<TriggerRow, 'JOB_NAME' | 'JOB_GROUP'>;
  const jobs = await reader.all<Row>('selectBlockedJobs', { schedName, limit });
  const limits = await findIdleLimits(reader, node, limit);
  const stalePlaces = await findStalePlaces(reader, node, limit);
  const idleRates = await findIdleRates(reader, node, limit);
  return { stranded, blocked: jobs.map(jobKeyOf), limits, stalePlaces, idleRates };
}

/** Puts right what is impossible. To be run under TRIGGER_ACCESS. */
export async function repairStates(tx: SqlTransaction, node: SqlNode, limit: number): Promise<SweepReport> {
  const { stranded, blocked, limits, stalePlaces, idleRates } = await findImpossibleStates(tx, node, limit);
  await deletePlaces(tx, node, stalePlaces);
  await repairRates(tx, node, idleRates);
  const moved = stranded.map((from) => ({ from, state: 'WAITING' as const }));
  await moveTriggers(tx, node, moved);
  await wakeIdle(tx, node, limits);
  const unblocked = await writeRows(tx, 'unblockTriggers', { schedName: node.schedName }, blocked.map(jobKeyColumns));
  return { released: stranded.length, unblocked };
}

type TypeRow = StateRow & { readonly HAS_KIND: number };

/** A page of the triggers. */
export interface TypeRowReading {
  readonly rows: readonly TypeRow[];
  /** Those without the row of their type that nobody holds. */
  readonly missing: readonly TypeRow[];
  /** Where the next page begins; null: there is none. */
  readonly next: TriggerKey | null;
}

/** An ACQUIRED one is its holder's until that gives it back, a finished one is nobody's concern. */
const AT_REST: ReadonlySet<string> = new Set(['WAITING', 'PAUSED', 'BLOCKED', 'PAUSED_BLOCKED']);

/** Before every key: none is empty. */
const BEFORE_ALL: TriggerKey = { name: '', group: '' };

/** Which triggers of a page lack the row of their type. */
export async function findWithoutTypeRow(
  reader: Reader,
  { schedName }: SqlNode,
  { after, maxCount }: TypeRowSweepRequest,
): Promise<TypeRowReading> {
  const { name: afterName, group: afterGroup } = after ?? BEFORE_ALL;
  const params = { schedName, afterName, afterGroup, limit: maxCount };
  const rows = await reader.all<TypeRow>('selectTriggerKinds', params);
  const missing = rows.filter(({ HAS_KIND, TRIGGER_STATE }) => HAS_KIND === 0 && AT_REST.has(TRIGGER_STATE));
  const last = rows.length < maxCount ? undefined : rows.at(-1);
  return { rows, missing, next: last === undefined ? null : triggerKeyOf(last) };
}

/** Leaves in ERROR what lacks the row of its type. To be run under TRIGGER_ACCESS. */
export async function failWithoutTypeRow(
  tx: SqlTransaction,
  node: SqlNode,
  request: TypeRowSweepRequest,
): Promise<TypeRowSweep> {
  const { missing, next } = await findWithoutTypeRow(tx, node, request);
  const moved = missing.map((from) => ({ from, state: 'ERROR' as const }));
  await moveTriggers(tx, node, moved);
  return { failed: missing.map(triggerKeyOf), next };
}
