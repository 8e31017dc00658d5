import { SchedulerStateError } from '../../../base/errors';
import type { NodeIdentity, NodeSignal, ReceivedSignal, SentSignal } from '../../cluster-store';
import { toCount } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { parseArray, type Reader } from './read-cluster';

interface SignalsRow {
  readonly INSTANCE_NAME: string;
  readonly EPOCH: string;
  readonly SIGNAL_NUMBER: number;
  readonly SIGNAL_SEEN: number;
  /** JSON: the signals that the node may not have seen. */
  readonly SIGNALS: string | null;
}

/**
 * Bytes of the signals that a node has not acted on, as text. A TEXT column holds 65,535: the rest is for `settle` and `drain`, which
 * always have room.
 */
const MAX_BYTES = 65_000;

const TYPES: ReadonlySet<unknown> = new Set<NodeSignal['type']>([
  'interruptJob',
  'interruptRun',
  'settle',
  'drain',
  'undrain',
]);

/**
 * Leaves a signal for each of the nodes, in place of an earlier one that it supersedes. Throws SCHEDULER_STATE, and leaves none, if one of
 * the nodes has no room for it. To be run without any of the cluster's locks.
 */
export async function sendSignal(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  instanceIds: readonly string[],
  signal: NodeSignal,
): Promise<readonly SentSignal[]> {
  const rows = await selectByRows<SignalsRow>(tx, 'selectSignals', { schedName }, [...instanceIds].sort());
  const sent: SentSignal[] = [];
  for (const { INSTANCE_NAME: instanceId, EPOCH: epoch, SIGNAL_NUMBER, SIGNAL_SEEN, SIGNALS } of rows) {
    const number = toCount(SIGNAL_NUMBER) + 1;
    const unseen = parseSignals(SIGNALS).filter((each) => each.number > SIGNAL_SEEN && each.number < number);
    const signals = JSON.stringify([...withoutSuperseded(unseen, signal), { number, signal }]);
    if (isInterrupt(signal) && Buffer.byteLength(signals) > MAX_BYTES) throw noRoom(instanceId, unseen.length);
    await tx.run('updateSignals', { schedName, instanceId, number, signals });
    sent.push({ instanceId, epoch, number });
  }
  return sent;
}

/** The signals on which a node still has to act once it acts on `signal`. Their senders are answered by a later acknowledgement. */
function withoutSuperseded(unseen: readonly ReceivedSignal[], signal: NodeSignal): readonly ReceivedSignal[] {
  const effect = effectOf(signal);
  return unseen.filter((each) => effectOf(each.signal) !== effect);
}

/** Equal for signals of which the newest alone decides what the node does. */
function effectOf(signal: NodeSignal): string {
  if (isInterrupt(signal)) return JSON.stringify(signal);
  return signal.type === 'settle' ? 'settle' : 'drain';
}

function isInterrupt({ type }: NodeSignal): boolean {
  return type === 'interruptJob' || type === 'interruptRun';
}

function noRoom(instanceId: string, count: number): SchedulerStateError {
  return new SchedulerStateError(
    `The node '${instanceId}' has not acted on ${count} earlier interrupts and has no room for another. Nothing was sent to any node. Check why the node does not respond, or restart it; then interrupt again.`,
  );
}

/** The signals of a node beyond `after`, in their order. */
export async function receiveSignals(
  reader: Reader,
  { schedName }: SqlNode,
  { instanceId, epoch }: NodeIdentity,
  after: number,
): Promise<readonly ReceivedSignal[]> {
  const params = { schedName, instanceId, epoch };
  const rows = await reader.all<Pick<SignalsRow, 'SIGNALS'>>('selectOwnSignals', params);
  return rows.flatMap(({ SIGNALS }) => parseSignals(SIGNALS)).filter(({ number }) => number > after);
}

/** The node has acted on all signals up to `number`. */
export async function acknowledgeSignals(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  { instanceId, epoch }: NodeIdentity,
  number: number,
): Promise<void> {
  await tx.run('updateSignalSeen', { schedName, instanceId, epoch, number });
}

/** Only nodes of ours write the column; whatever else is found there counts as nothing. */
function parseSignals(text: string | null): readonly ReceivedSignal[] {
  return (parseArray(text) ?? []).filter(isReceivedSignal);
}

function isReceivedSignal(value: unknown): value is ReceivedSignal {
  const { number, signal } = (value ?? {}) as Partial<ReceivedSignal>;
  return Number.isSafeInteger(number) && TYPES.has(signal?.type);
}
