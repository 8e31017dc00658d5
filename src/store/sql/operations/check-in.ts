import { checksIn, JAVA_CHECK_IN_GRACE_MS } from '../../../domain/liveness';
import { decodeLoad, encodeLoad, type NodeLoad } from '../../../domain/node-load';
import { requireSameRules, type SchedulerRules } from '../../../domain/rules';
import type {
  CheckInReading,
  JoinResult,
  LeaveReport,
  LoadRecord,
  NodeIdentity,
  NodeRecord,
  NodesReading,
  RecoveryOptions,
} from '../../cluster-store';
import type { NodeReader, NodeTransaction, NodeTransactions, NodeWork } from '../rows/node-transaction';
import { isTime, toCount } from '../rows/rows';
import { rulesOf, type SqlNode } from '../rows/sql-node';
import { StaleRead } from '../runtime/retry-rules';
import { Script } from '../runtime/script';
import { replaceMeta, selectMeta } from './meta';
import { textsIn } from './read-cluster';
import { recoverFirings, releaseReservations } from './recover-node';
import { decodeRules, encodeRules, selectRules } from './rules';

interface NodeRow {
  readonly NOW_TIME: number;
  /** Instance id. Null in the row that is returned if no nodes are stored; that row contains only the database time. */
  readonly INSTANCE_NAME: string | null;
  readonly LAST_CHECKIN_TIME: number;
  readonly CHECKIN_INTERVAL: number;
  readonly EPOCH: string | null;
  readonly VERSION: string | null;
  readonly TIME_ZONE_DATA: string | null;
  readonly HOST: string | null;
  readonly PROCESS_ID: number | null;
  readonly PROCESS_SCOPE: string | null;
  readonly PROCESS_START: number | null;
  readonly STARTED_AT: number | null;
  readonly CHECKIN_GRACE: number | null;
  readonly CLOCK_OFFSET: number | null;
  readonly SIGNAL_SEEN: number | null;
  readonly LABELS: string | null;
  readonly STATUS: string | null;
}

/** Columns that change when a node checks in or starts a new incarnation. */
type StoredNode = Pick<NodeRow, 'LAST_CHECKIN_TIME' | 'EPOCH' | 'STATUS'>;

/** Status of a node that has left in order while its runs had not ended. Whoever ends its incarnation hands these runs over. */
const LEFT = 'LEFT';

/** Change of a node's clock offset, in milliseconds, above which the new offset is stored. */
const CLOCK_TOLERANCE_MS = 100;

const NUMBERS = ['LAST_CHECKIN_TIME', 'CHECKIN_INTERVAL', 'STARTED_AT', 'CHECKIN_GRACE', 'CLOCK_OFFSET'] as const;

/** Returns all nodes, and the database time. Reports and omits nodes with a number out of range. */
export async function readNodes(reader: NodeReader): Promise<NodesReading> {
  return toReading(await reader.all<NodeRow>('selectNodes'), reader.node);
}

function toReading(rows: readonly NodeRow[], { onRowProblem, javaNodes }: SqlNode): NodesReading {
  const nodes = rows.flatMap((row) => {
    const { INSTANCE_NAME: name } = row;
    if (name === null) return [];
    const column = NUMBERS.find((each) => row[each] !== null && !isTime(row[each]));
    if (column === undefined) return [toRecord(name, row)];
    const error = new RangeError(`Expected a number in ${column}, found ${row[column]}, which is out of range.`);
    onRowProblem({ what: 'node', name, error });
    return [];
  });
  const reading = { now: rows[0]?.NOW_TIME ?? 0, nodes };
  javaNodes.observe(reading);
  return reading;
}

function toRecord(instanceId: string, row: NodeRow): NodeRecord {
  const { PROCESS_SCOPE: scope, PROCESS_START: start } = row;
  return {
    instanceId,
    epoch: row.EPOCH,
    lastCheckInTime: row.LAST_CHECKIN_TIME,
    checkInInterval: row.CHECKIN_INTERVAL,
    checkInGrace: row.CHECKIN_GRACE ?? JAVA_CHECK_IN_GRACE_MS,
    version: row.VERSION,
    timeZoneData: row.TIME_ZONE_DATA,
    host: row.HOST,
    processId: row.PROCESS_ID,
    process: scope === null || start === null ? null : { scope, start },
    startedAt: row.STARTED_AT,
    clockOffset: row.CLOCK_OFFSET,
    signalSeen: toCount(row.SIGNAL_SEEN ?? 0),
    labels: textsIn(row.LABELS),
    draining: row.STATUS === 'DRAINING',
  };
}

/** The connection reserved for check-ins. The second attempt is for deadlocks; more attempts would only delay the next check-in, which follows soon. */
const CHECK_IN = { role: 'checkIn', attempts: 2 } as const;

/** Renews the check-in, stores load and clock offset, and reads all nodes. `isMember` is false if the node's incarnation is no longer stored. */
export async function checkIn(
  transactions: NodeTransactions,
  { instanceId, epoch, checkInInterval }: NodeIdentity,
  { clockOffset, load }: { readonly clockOffset: number; readonly load: NodeLoad | null },
): Promise<CheckInReading> {
  const who = { instanceId, epoch };
  const write = async (tx: Pick<NodeTransaction, 'run'>) => {
    const isMember = (await tx.run('updateCheckIn', { ...who, checkInInterval }, 1)).changes === 1;
    if (isMember && load !== null) await tx.run('updateNodeLoad', { ...who, load: encodeLoad(load) });
    return isMember;
  };
  const script = new Script(null);
  await write(script);
  const select = { statement: 'selectNodes', params: {}, isQuery: true, rows: null } as const;
  const rows = await transactions.plain.tryScript<NodeRow>([...script.steps, select], CHECK_IN);
  const setClock = (tx: NodeTransaction) => tx.run('updateNodeClock', { ...who, clockOffset });
  const isClockNew = ({ isMember, nodes }: CheckInReading) => {
    const own = nodes.find((each) => each.instanceId === instanceId);
    return isMember && Math.abs((own?.clockOffset ?? 0) - clockOffset) > CLOCK_TOLERANCE_MS;
  };
  const work: NodeWork<CheckInReading> = async (tx) => {
    const reading = { isMember: await write(tx), ...(await readNodes(tx)) };
    if (isClockNew(reading)) await setClock(tx);
    return reading;
  };
  if (rows === null) return transactions.run(null, work, CHECK_IN);
  const reading = { isMember: true, ...toReading(rows, transactions.node) };
  if (isClockNew(reading)) await transactions.run(null, setClock, CHECK_IN);
  return reading;
}

/** Returns the load that each node reported with its last check-in. `load` is null if the node reported none or its load is unreadable. */
export async function readLoads(reader: NodeReader): Promise<readonly LoadRecord[]> {
  type Row = Pick<NodeRow, 'LAST_CHECKIN_TIME'> & {
    readonly INSTANCE_NAME: string;
    readonly LOAD_FIGURES: string | null;
  };
  const rows = await reader.all<Row>('selectNodeLoads');
  return rows.map(({ INSTANCE_NAME: instanceId, LAST_CHECKIN_TIME: at, LOAD_FIGURES: figures }) => ({
    instanceId,
    at,
    load: figures === null ? null : decodeLoad(figures),
  }));
}

/**
 * Starts the first incarnation of an instance id by a script under STATE_ACCESS, so that nodes that start together do not wait for each other's round
 * trips. Returns null if `joinCluster` must do it: rows of an earlier incarnation are stored, whose firings must be recovered; no rules are stored, or
 * they have changed in the meantime; or the database runs no scripts. Throws CONFIGURATION like `joinCluster`. Does not stop all firing by
 * TRIGGER_ACCESS, because without a stored incarnation, no firing of this instance id can be inserted.
 */
export async function joinAsNew(transactions: NodeTransactions, identity: NodeIdentity): Promise<JoinResult | null> {
  const { instanceId } = identity;
  const rules = await selectMeta(transactions, 'rules');
  if (rules === null) return null;
  requireSameRules(decodeRules(rules), rulesOf(transactions.node), transactions.node.schedName);
  const script = new Script(null);
  script.requireNone('selectJoinObstacle', { instanceId, rules });
  await script.run('deleteNode', { instanceId });
  await insertIncarnation(script, transactions.node, identity);
  const rows = await transactions.plain.tryScript(script.steps, { role: 'checkIn', lock: 'STATE_ACCESS' });
  return rows === null ? null : joinedAs(instanceId);
}

/** Result of a join that had nothing to recover. */
function joinedAs(instanceId: string): JoinResult {
  return { status: 'joined', recovery: { instanceId, released: 0, recovered: [], exhausted: [], lost: 0 } };
}

/**
 * Recovers the firings of the node's previous incarnation, and starts a new one. Returns `taken` if the stored incarnation is not `previous`. Throws
 * CONFIGURATION if the stored rules for fire times are not this node's: they can change until it joins.
 * Must run under STATE_ACCESS and TRIGGER_ACCESS, as on Java nodes.
 */
export async function joinCluster(
  tx: NodeTransaction,
  identity: NodeIdentity,
  { previous, options }: { readonly previous: NodeRecord | null; readonly options: RecoveryOptions },
): Promise<JoinResult> {
  const { instanceId } = identity;
  const stored = await selectNode(tx, instanceId);
  if (stored?.EPOCH === identity.epoch) return joinedAs(instanceId); // `joinAsNew` did it, but received no answer
  const isPrevious = stored?.LAST_CHECKIN_TIME === previous?.lastCheckInTime && stored?.EPOCH === previous?.epoch;
  if (stored !== undefined && !isPrevious) return { status: 'taken' };
  await requireStoredRules(tx);
  // Recovers all firings: otherwise the new incarnation would own firings that it does not execute.
  const recovery = await recoverFirings(tx, instanceId, {
    ...options,
    isSelected: () => true,
    hasLeft: hasLeft(stored),
  });
  await endIncarnation(tx, instanceId, stored?.LAST_CHECKIN_TIME ?? null);
  await insertIncarnation(tx, tx.node, identity);
  return { status: 'joined', recovery };
}

async function requireStoredRules(tx: NodeTransaction): Promise<void> {
  const rules = await selectRules(tx);
  if (rules !== null) requireSameRules(rules, rulesOf(tx.node), tx.node.schedName);
}

async function insertIncarnation(
  tx: Pick<NodeTransaction, 'run'>,
  node: SqlNode,
  identity: NodeIdentity,
): Promise<void> {
  const { instanceId, epoch, version, timeZoneData = null, host, processId, checkInInterval, checkInGrace } = identity;
  const { scope: processScope, start: processStart } = identity.process ?? { scope: null, start: null };
  const which = { host, processId, processScope, processStart };
  const { jobTypes = null, status = 'MEMBER' } = node.incarnation ?? {};
  const details = { jobTypes, labels: JSON.stringify(node.scope.labels), status };
  const row = { instanceId, epoch, version, timeZoneData, ...which, checkInGrace, ...details };
  await Promise.all([tx.run('insertCheckIn', { instanceId, checkInInterval }, 1), tx.run('insertNode', row, 1)]);
}

/** True if the incarnation `epoch` is stored: it has joined and has not ended. */
export async function hasJoined(
  tx: NodeTransaction,
  { instanceId, epoch }: Pick<NodeIdentity, 'instanceId' | 'epoch'>,
): Promise<boolean> {
  return (await selectNode(tx, instanceId))?.EPOCH === epoch;
}

/**
 * Releases the node's reservations, and ends its incarnation unless one of its firings is still executing: these are handed over when its process has
 * ended. Returns zero counts if the incarnation is no longer stored. Must run under STATE_ACCESS and TRIGGER_ACCESS.
 */
export async function leaveCluster(tx: NodeTransaction, identity: NodeIdentity): Promise<LeaveReport> {
  const { instanceId } = identity;
  const stored = await selectNode(tx, instanceId);
  if (stored?.EPOCH !== identity.epoch) return { released: 0, executing: 0 };
  const { released, executing } = await releaseReservations(tx, instanceId);
  if (executing === 0) await endIncarnation(tx, instanceId, stored.LAST_CHECKIN_TIME);
  else await tx.run('updateNodeStatus', { instanceId, epoch: identity.epoch, status: LEFT });
  return { released, executing };
}

/**
 * Deletes the node's rows. `lastCheckInTime`: last check-in that the caller has read; null if the node has no check-in row. Throws `StaleRead` if the
 * node has checked in since then.
 */
export async function endIncarnation(
  tx: NodeTransaction,
  instanceId: string,
  lastCheckInTime: number | null,
): Promise<void> {
  if (lastCheckInTime !== null && !(await deleteCheckIn(tx, instanceId, lastCheckInTime)))
    throw new StaleRead('deleteCheckIn');
  await tx.run('deleteNode', { instanceId });
}

/** Deletes a node's check-in row. Returns false if the node has checked in since `lastCheckInTime`. */
export async function deleteCheckIn(
  tx: NodeTransaction,
  instanceId: string,
  lastCheckInTime: number,
): Promise<boolean> {
  return (await tx.run('deleteCheckIn', { instanceId, lastCheckInTime })).changes === 1;
}

/** True if a node has left in order, and only its last runs remain. */
export function hasLeft(node: StoredNode | undefined): boolean {
  return node?.STATUS === LEFT;
}

/** Returns and locks the check-in row of a node; undefined if the node has no such row. */
export async function selectNode(tx: NodeTransaction, instanceId: string): Promise<StoredNode | undefined> {
  const [row] = await tx.all<StoredNode>('selectNode', { instanceId });
  return row;
}

/**
 * Replaces the rules unless nodes live. Returns the ids of these nodes. Must run under STATE_ACCESS, under which nodes join and compare their rules with
 * the stored ones.
 */
export async function replaceRules(tx: NodeTransaction, rules: SchedulerRules): Promise<readonly string[]> {
  const { now, nodes } = await readNodes(tx);
  const living = nodes.filter((each) => each.epoch !== null && checksIn(each, now));
  if (living.length === 0) await replaceMeta(tx, 'rules', encodeRules(rules));
  return living.map(({ instanceId }) => instanceId);
}
