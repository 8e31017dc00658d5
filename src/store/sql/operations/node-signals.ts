import { RECOVERING_JOBS } from '../../../domain/recovery';
import type { FiringRecord, NodeIdentity, NodeSignal, ReceivedSignal, SentSignal } from '../../cluster-store';
import { jobKeyOf, type TriggerRow, toCount, toFireTime, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';

interface SignalsRow {
  readonly INSTANCE_NAME: string;
  readonly SIGNAL_NUMBER: number;
  readonly SIGNAL_SEEN: number;
  /** JSON: the signals that the node may not have seen. */
  readonly SIGNALS: string | null;
}

/** Kept for one node: who never looks must not fill the table. A TEXT column holds 65,535 bytes. */
const MOST_SIGNALS = 50;

/** Leaves a signal for each of the nodes. To be run without any of the cluster's locks. */
export async function sendSignal(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  instanceIds: readonly string[],
  signal: NodeSignal,
): Promise<readonly SentSignal[]> {
  const rows = await selectByRows<SignalsRow>(tx, 'selectSignals', { schedName }, [...instanceIds].sort());
  const sent: SentSignal[] = [];
  for (const { INSTANCE_NAME: instanceId, SIGNAL_NUMBER, SIGNAL_SEEN, SIGNALS } of rows) {
    const number = toCount(SIGNAL_NUMBER) + 1;
    const unseen = parseSignals(SIGNALS).filter((each) => each.number > SIGNAL_SEEN && each.number < number);
    const signals = JSON.stringify([...unseen, { number, signal }].slice(-MOST_SIGNALS));
    await tx.run('updateSignals', { schedName, instanceId, number, signals });
    sent.push({ instanceId, number });
  }
  return sent;
}

/** The signals of a node beyond `after`, in their order. */
export function toReceivedSignals(
  rows: readonly Pick<SignalsRow, 'SIGNALS'>[],
  after: number,
): readonly ReceivedSignal[] {
  return rows.flatMap(({ SIGNALS }) => parseSignals(SIGNALS)).filter(({ number }) => number > after);
}

export async function acknowledgeSignals(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  { instanceId, epoch }: NodeIdentity,
  number: number,
): Promise<void> {
  await tx.run('updateSignalSeen', { schedName, instanceId, epoch, number });
}

type FiringRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'JOB_NAME' | 'JOB_GROUP'> & {
  readonly ENTRY_ID: string;
  readonly INSTANCE_NAME: string;
  readonly FIRED_TIME: number;
  readonly SCHED_TIME: number;
};

/** The firings of what `selectExecutingFirings` found. */
export function toFiringRecords(rows: readonly FiringRow[]): readonly FiringRecord[] {
  return rows.map((row) => ({
    fireInstanceId: row.ENTRY_ID,
    instanceId: row.INSTANCE_NAME,
    triggerKey: triggerKeyOf(row),
    jobKey: jobKeyOf(row),
    fireTime: toFireTime(row.FIRED_TIME),
    scheduledFireTime: toFireTime(row.SCHED_TIME),
    recovering: row.TRIGGER_GROUP === RECOVERING_JOBS,
  }));
}

/** Only nodes of ours write the column; whatever else is found there counts as nothing. */
function parseSignals(text: string | null): readonly ReceivedSignal[] {
  if (text === null) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isReceivedSignal) : [];
  } catch {
    return [];
  }
}

const TYPES: ReadonlySet<unknown> = new Set<NodeSignal['type']>(['interruptJob', 'interruptFireInstance', 'settle']);

function isReceivedSignal(value: unknown): value is ReceivedSignal {
  const { number, signal } = (value ?? {}) as Partial<ReceivedSignal>;
  return Number.isSafeInteger(number) && TYPES.has(signal?.type);
}
