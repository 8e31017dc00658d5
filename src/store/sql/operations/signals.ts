import { SchedulerStateError } from '../../../base/errors';
import type { NodeIdentity, NodeSignal, ReceivedSignal, SentSignal } from '../../cluster-store';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { toCount } from '../rows/rows';
import { selectByRows } from '../runtime/row-batches';
import { parseArray } from './read-cluster';

interface SignalsRow {
  readonly INSTANCE_NAME: string;
  readonly EPOCH: string;
  readonly SIGNAL_NUMBER: number;
  readonly SIGNAL_SEEN: number;
  /** JSON array of the signals that the node may not have seen. */
  readonly SIGNALS: string | null;
}

/** Maximum size of pending signals as JSON when an interrupt is added. A TEXT column has 65,535 bytes; the other signals always fit into the rest. */
const MAX_BYTES = 65_000;

const TYPES: ReadonlySet<unknown> = new Set<NodeSignal['type']>([
  'interruptJob',
  'interruptRun',
  'confirmStarted',
  'drain',
  'undrain',
]);

/**
 * Sends a signal to each of these nodes, replacing earlier signals that it supersedes. If one of the nodes has no capacity for another
 * interrupt, throws SCHEDULER_STATE and sends none. Must run without any cluster-wide lock.
 */
export async function sendSignal(
  tx: NodeTransaction,
  instanceIds: readonly string[],
  signal: NodeSignal,
): Promise<readonly SentSignal[]> {
  const rows = await selectByRows<SignalsRow>(tx, 'selectSignals', [...instanceIds].sort());
  const sent: SentSignal[] = [];
  for (const { INSTANCE_NAME: instanceId, EPOCH: epoch, SIGNAL_NUMBER, SIGNAL_SEEN, SIGNALS } of rows) {
    const number = toCount(SIGNAL_NUMBER) + 1;
    const unseen = parseSignals(SIGNALS).filter((each) => each.number > SIGNAL_SEEN && each.number < number);
    const signals = JSON.stringify([...withoutSuperseded(unseen, signal), { number, signal }]);
    if (isInterrupt(signal) && Buffer.byteLength(signals) > MAX_BYTES) throw noCapacity(instanceId, unseen.length);
    await tx.run('updateSignals', { instanceId, number, signals });
    sent.push({ instanceId, epoch, number });
  }
  return sent;
}

/** Pending signals that `signal` does not supersede. Its acknowledgement also answers the senders of superseded signals. */
function withoutSuperseded(unseen: readonly ReceivedSignal[], signal: NodeSignal): readonly ReceivedSignal[] {
  const effect = effectOf(signal);
  return unseen.filter((each) => effectOf(each.signal) !== effect);
}

/** Returns a string that is equal for two signals if one supersedes the other. */
function effectOf(signal: NodeSignal): string {
  if (isInterrupt(signal)) return JSON.stringify(signal);
  return signal.type === 'confirmStarted' ? 'confirmStarted' : 'drain';
}

function isInterrupt({ type }: NodeSignal): boolean {
  return type === 'interruptJob' || type === 'interruptRun';
}

function noCapacity(instanceId: string, count: number): SchedulerStateError {
  return new SchedulerStateError(
    `The node '${instanceId}' has ${count} unprocessed interrupts and accepts no more. No interrupt was sent to any node. Check why the node does not respond, or restart it; then interrupt again.`,
  );
}

export async function receiveSignals(
  reader: NodeReader,
  { instanceId, epoch }: NodeIdentity,
  after: number,
): Promise<readonly ReceivedSignal[]> {
  const params = { instanceId, epoch };
  const rows = await reader.all<Pick<SignalsRow, 'SIGNALS'>>('selectOwnSignals', params);
  return rows.flatMap(({ SIGNALS }) => parseSignals(SIGNALS)).filter(({ number }) => number > after);
}

export async function acknowledgeSignals(
  tx: NodeTransaction,
  { instanceId, epoch }: NodeIdentity,
  number: number,
): Promise<void> {
  await tx.run('updateSignalSeen', { instanceId, epoch, number });
}

/** Parses the signals in a row. Ignores any other content, which no quartz-ts node writes. */
function parseSignals(text: string | null): readonly ReceivedSignal[] {
  return (parseArray(text) ?? []).filter(isReceivedSignal);
}

function isReceivedSignal(value: unknown): value is ReceivedSignal {
  const { number, signal } = (value ?? {}) as Partial<ReceivedSignal>;
  return Number.isSafeInteger(number) && TYPES.has(signal?.type);
}
