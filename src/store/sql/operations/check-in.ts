import { type CheckInRow, JAVA_CHECK_IN_GRACE } from '../../../domain/liveness';
import type {
  CheckInReading,
  JoinResult,
  LeaveReport,
  NodeIdentity,
  NodeRecord,
  NodesReading,
  ProcessFacts,
  RecoveryOptions,
} from '../../cluster-store';
import { isTime, toCount } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { StaleRead } from '../runtime/retry-rules';
import type { SqlTransaction } from '../runtime/sql-driver';
import { recoverFirings, releaseReservations } from './recover-node';

interface NodeRow {
  readonly NOW_TIME: number;
  /** Null in the only row there is when there is no node. */
  readonly INSTANCE_NAME: string | null;
  readonly LAST_CHECKIN_TIME: number;
  readonly CHECKIN_INTERVAL: number;
  readonly EPOCH: string | null;
  readonly VERSION: string | null;
  readonly HOST: string | null;
  readonly PROCESS_ID: number | null;
  readonly PROCESS_SCOPE: string | null;
  readonly PROCESS_START: number | null;
  readonly STARTED_AT: number | null;
  readonly CHECKIN_GRACE: number | null;
  readonly CLOCK_OFFSET: number | null;
  readonly SIGNAL_SEEN: number | null;
}

/** A difference of the clocks that is worth a write. Milliseconds. */
const CLOCK_TOLERANCE = 100;

/** The nodes of what `selectNodes` found. One whose numbers are out of range is told of and left out: nothing can be said of it. */
export function toNodesReading(rows: readonly NodeRow[], { onRowProblem }: SqlNode): NodesReading {
  const nodes = rows.filter(({ INSTANCE_NAME }) => INSTANCE_NAME !== null);
  const strange = nodes.filter((row) => strangeColumn(row) !== undefined);
  for (const row of strange) {
    const column = strangeColumn(row) as NumberColumn;
    const error = new RangeError(`Expected a number in ${column}, found ${row[column]}, which is out of range.`);
    onRowProblem({ what: 'node', name: row.INSTANCE_NAME ?? '', error });
  }
  const readable = strange.length === 0 ? nodes : nodes.filter((row) => !strange.includes(row));
  return { now: rows[0]?.NOW_TIME ?? 0, nodes: readable.map(toRecord) };
}

const NUMBERS = ['LAST_CHECKIN_TIME', 'CHECKIN_INTERVAL', 'STARTED_AT', 'CHECKIN_GRACE', 'CLOCK_OFFSET'] as const;

type NumberColumn = (typeof NUMBERS)[number];

function strangeColumn(row: NodeRow): NumberColumn | undefined {
  return NUMBERS.find((column) => row[column] !== null && !isTime(row[column] as number));
}

/** Shows that the node is alive, and reads who else is. To be run on the connection that only this uses. */
export async function checkIn(
  tx: SqlTransaction,
  node: SqlNode,
  { instanceId, epoch, checkInInterval }: NodeIdentity,
  clockOffset: number,
): Promise<CheckInReading> {
  const { schedName } = node;
  const who = { schedName, instanceId, epoch };
  const isMember = (await tx.run('updateCheckIn', { ...who, checkInInterval })).changes === 1;
  const reading = toNodesReading(await tx.all<NodeRow>('selectNodes', { schedName }), node);
  const own = reading.nodes.find((each) => each.instanceId === instanceId);
  if (isMember && Math.abs((own?.clockOffset ?? 0) - clockOffset) > CLOCK_TOLERANCE) {
    await tx.run('updateNodeClock', { ...who, clockOffset });
  }
  return { ...reading, isMember };
}

/** Begins a life of the node, and recovers what an earlier one left. To be run under both locks, as Java nodes do. */
export async function joinCluster(
  tx: SqlTransaction,
  node: SqlNode,
  identity: NodeIdentity,
  request: { readonly previous: NodeRecord | null; readonly options: RecoveryOptions },
): Promise<JoinResult> {
  const { schedName } = node;
  const { instanceId, epoch, version, host, processId, process, checkInInterval, checkInGrace } = identity;
  const before = await selectNode(tx, node, instanceId);
  if (!isStill(before, request.previous)) return { status: 'taken' };
  const recovery = await recoverFirings(tx, node, instanceId, request.options);
  await endIncarnation(
    tx,
    node,
    instanceId,
    before === undefined ? null : { lastCheckInTime: before.LAST_CHECKIN_TIME },
  );
  await tx.run('insertCheckIn', { schedName, instanceId, checkInInterval });
  const { scope: processScope, start: processStart } = process ?? { scope: null, start: null };
  const which = { host, processId, processScope, processStart };
  const jobTypes = node.life?.jobTypes ?? null;
  await tx.run('insertNode', { schedName, instanceId, epoch, version, ...which, checkInGrace, jobTypes });
  return { status: 'joined', recovery };
}

/** Whether the life `epoch` is stored: it has begun and not ended. */
export async function hasJoined(
  tx: SqlTransaction,
  node: SqlNode,
  { instanceId, epoch }: Pick<NodeIdentity, 'instanceId' | 'epoch'>,
): Promise<boolean> {
  return (await selectNode(tx, node, instanceId))?.EPOCH === epoch;
}

/** Gives back what the node had reserved; ends its life unless something of it executes. To be run under both locks. */
export async function leaveCluster(tx: SqlTransaction, node: SqlNode, identity: NodeIdentity): Promise<LeaveReport> {
  const { instanceId } = identity;
  const row = await selectNode(tx, node, instanceId);
  if (row?.EPOCH !== identity.epoch) return { released: 0, executing: 0 };
  const { released, executing } = await releaseReservations(tx, node, instanceId);
  if (executing === 0) await endIncarnation(tx, node, instanceId, { lastCheckInTime: row.LAST_CHECKIN_TIME });
  return { released, executing };
}

/** Deletes the node's rows. Throws `StaleRead` if it has checked in meanwhile. */
export async function endIncarnation(
  tx: SqlTransaction,
  node: SqlNode,
  instanceId: string,
  seen: Pick<CheckInRow, 'lastCheckInTime'> | null,
): Promise<void> {
  if (seen !== null && !(await deleteCheckIn(tx, node, instanceId, seen))) throw new StaleRead('deleteCheckIn');
  await tx.run('deleteNode', { schedName: node.schedName, instanceId });
}

/** Ends the check-ins of a node, unless it has checked in since it was seen. */
export async function deleteCheckIn(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  instanceId: string,
  { lastCheckInTime }: Pick<CheckInRow, 'lastCheckInTime'>,
): Promise<boolean> {
  return (await tx.run('deleteCheckIn', { schedName, instanceId, lastCheckInTime })).changes === 1;
}

/** The check-in of a node, locked; undefined: it has none. */
export async function selectNode(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  instanceId: string,
): Promise<Pick<NodeRow, 'LAST_CHECKIN_TIME' | 'EPOCH'> | undefined> {
  const [row] = await tx.all<Pick<NodeRow, 'LAST_CHECKIN_TIME' | 'EPOCH'>>('selectNode', { schedName, instanceId });
  return row;
}

function isStill(
  row: Pick<NodeRow, 'LAST_CHECKIN_TIME' | 'EPOCH'> | undefined,
  previous: Pick<NodeRecord, 'lastCheckInTime' | 'epoch'> | null,
): boolean {
  if (row === undefined) return true; // gone since, or never there: either way nobody lives by this id
  return previous !== null && row.LAST_CHECKIN_TIME === previous.lastCheckInTime && row.EPOCH === previous.epoch;
}

function toRecord(row: NodeRow): NodeRecord {
  return {
    instanceId: row.INSTANCE_NAME ?? '',
    epoch: row.EPOCH,
    lastCheckInTime: row.LAST_CHECKIN_TIME,
    checkInInterval: row.CHECKIN_INTERVAL,
    checkInGrace: row.CHECKIN_GRACE ?? JAVA_CHECK_IN_GRACE,
    version: row.VERSION,
    host: row.HOST,
    processId: row.PROCESS_ID,
    process: toProcessFacts(row),
    startedAt: row.STARTED_AT,
    clockOffset: row.CLOCK_OFFSET,
    signalSeen: toCount(row.SIGNAL_SEEN ?? 0),
  };
}

function toProcessFacts({ PROCESS_SCOPE: scope, PROCESS_START: start }: NodeRow): ProcessFacts | null {
  return scope === null || start === null ? null : { scope, start };
}
