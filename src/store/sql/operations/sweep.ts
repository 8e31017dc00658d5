import type { JobKey, TriggerKey } from '../../../domain/keys';
import { UNFIRED_STATES } from '../../../domain/trigger-state';
import type { SweepReport, TypeRowSweep, TypeRowSweepRequest } from '../../cluster-store';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { jobKeyColumns, jobKeyOf, type TriggerRow, triggerKeyOf } from '../rows/rows';
import { writeRows } from '../runtime/row-batches';
import { findIdleLimits, type IdleLimits, wakeIdle } from './limits';
import { deleteMisfired, findStaleMisfired } from './misfired';
import { deletePlaces, findStalePlaces } from './places';
import { findIdleRates, type IdleRates, repairRates } from './rates';
import { moveTriggers } from './write-triggers';

/* Two sweeps that repair impossible states. Each first reads without a lock; its findings must be read again under TRIGGER_ACCESS. */

type StateRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'TRIGGER_STATE'>;

/** Impossible states. `stranded`: ACQUIRED triggers without a fired trigger. `blocked`: jobs with BLOCKED triggers but without an execution. */
interface ImpossibleStates {
  readonly stranded: readonly StateRow[];
  readonly blocked: readonly JobKey[];
  readonly limits: IdleLimits;
  readonly stalePlaces: readonly TriggerKey[];
  readonly staleMisfired: readonly TriggerKey[];
  readonly idleRates: IdleRates;
}

/** Returns at most `limit` impossible states of each kind. */
export async function findImpossibleStates(reader: NodeReader, limit: number): Promise<ImpossibleStates> {
  const stranded = await reader.all<StateRow>('selectStrandedTriggers', { limit });
  type Row = Pick<TriggerRow, 'JOB_NAME' | 'JOB_GROUP'>;
  const jobs = await reader.all<Row>('selectBlockedJobs', { limit });
  const limits = await findIdleLimits(reader, limit);
  const stalePlaces = await findStalePlaces(reader, limit);
  const staleMisfired = await findStaleMisfired(reader, limit);
  const idleRates = await findIdleRates(reader, limit);
  return { stranded, blocked: jobs.map(jobKeyOf), limits, stalePlaces, staleMisfired, idleRates };
}

/** Repairs at most `limit` impossible states of each kind. Must run under TRIGGER_ACCESS. */
export async function repairStates(tx: NodeTransaction, limit: number): Promise<SweepReport> {
  const { stranded, blocked, limits, stalePlaces, staleMisfired, idleRates } = await findImpossibleStates(tx, limit);
  await deletePlaces(tx, stalePlaces);
  await deleteMisfired(tx, staleMisfired);
  await repairRates(tx, idleRates);
  const moved = stranded.map((from) => ({ from, state: 'WAITING' as const }));
  await moveTriggers(tx, moved);
  await wakeIdle(tx, limits);
  const unblocked = await writeRows(tx, 'unblockTriggers', blocked.map(jobKeyColumns));
  return { released: stranded.length, unblocked };
}

type TypeRow = StateRow & { readonly HAS_KIND: number };

interface TypeRowReading {
  readonly rows: readonly TypeRow[];
  /** Triggers without the row of their type, in a state of `CHECKED`. */
  readonly missing: readonly TypeRow[];
  /** Last key of this page, after which the next page starts; null if this is the last page. */
  readonly next: TriggerKey | null;
}

/** States to check. An ACQUIRED trigger belongs to the node that reserved it. A trigger in COMPLETE or ERROR does not fire. */
const CHECKED: ReadonlySet<string> = new Set(UNFIRED_STATES);

/** Sorts before every key, because no key is empty. */
const BEFORE_ALL: TriggerKey = { name: '', group: '' };

/** Reads one page of triggers, and finds the triggers that lack the row of their type. */
export async function findWithoutTypeRow(
  reader: NodeReader,
  { after, maxCount }: TypeRowSweepRequest,
): Promise<TypeRowReading> {
  const { name: afterName, group: afterGroup } = after ?? BEFORE_ALL;
  const params = { afterName, afterGroup, limit: maxCount };
  const rows = await reader.all<TypeRow>('selectTriggerKinds', params);
  const missing = rows.filter(({ HAS_KIND, TRIGGER_STATE }) => HAS_KIND === 0 && CHECKED.has(TRIGGER_STATE));
  const last = rows.length < maxCount ? undefined : rows.at(-1);
  return { rows, missing, next: last === undefined ? null : triggerKeyOf(last) };
}

/** Moves the triggers of one page that lack the row of their type to ERROR. Must run under TRIGGER_ACCESS. */
export async function failWithoutTypeRow(tx: NodeTransaction, request: TypeRowSweepRequest): Promise<TypeRowSweep> {
  const { missing, next } = await findWithoutTypeRow(tx, request);
  const moved = missing.map((from) => ({ from, state: 'ERROR' as const }));
  await moveTriggers(tx, moved);
  return { failed: missing.map(triggerKeyOf), next };
}
