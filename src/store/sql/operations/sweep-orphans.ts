import type { JobKey } from '../../../domain/keys';
import type { SweepReport } from '../../cluster-store';
import { jobKeyColumns, jobKeyOf, type TriggerRow } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { writeRows } from '../runtime/row-batches';
import type { SqlDriver, SqlTransaction } from '../runtime/sql-driver';
import { moveTriggers } from './write-triggers';

type StrandedRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'TRIGGER_STATE'>;

/** States that cannot be. */
export interface ImpossibleStates {
  /** ACQUIRED by nobody. */
  readonly stranded: readonly StrandedRow[];
  /** Jobs of triggers that are BLOCKED by no execution. */
  readonly blocked: readonly JobKey[];
}

/** Something that reads rows: a transaction, or the driver for one statement at a time. */
export type Select = <Row>(
  statement: 'selectStrandedTriggers' | 'selectBlockedJobs',
  params: Parameters<SqlDriver['select']>[1],
) => Promise<readonly Row[]>;

/** Looks, without any lock; what is found must be looked for again under TRIGGER_ACCESS. */
export async function findImpossibleStates(
  select: Select,
  { schedName }: SqlNode,
  limit: number,
): Promise<ImpossibleStates> {
  const stranded = await select<StrandedRow>('selectStrandedTriggers', { schedName, limit });
  const jobs = await select<Pick<TriggerRow, 'JOB_NAME' | 'JOB_GROUP'>>('selectBlockedJobs', { schedName, limit });
  return { stranded, blocked: jobs.map(jobKeyOf) };
}

export function isEverythingPossible({ stranded, blocked }: ImpossibleStates): boolean {
  return stranded.length + blocked.length === 0;
}

/** Puts right what is impossible. To be run under TRIGGER_ACCESS. */
export async function repairStates(tx: SqlTransaction, node: SqlNode, limit: number): Promise<SweepReport> {
  const { stranded, blocked } = await findImpossibleStates((name, params) => tx.all(name, params), node, limit);
  await moveTriggers(
    tx,
    node,
    stranded.map((from) => ({ from, state: 'WAITING' })),
  );
  const unblocked = await writeRows(tx, 'unblockTriggers', { schedName: node.schedName }, blocked.map(jobKeyColumns));
  return { released: stranded.length, unblocked };
}
