import { hostname } from 'node:os';
import { Availability } from '../../base/availability';
import { type Clock, suspendedTime } from '../../base/clock';
import type { RandomSource } from '../../base/ids';
import { VERSION } from '../../base/version';
import { ClusterNode } from '../../cluster/cluster-node';
import { NodeFence } from '../../cluster/node-fence';
import type { NodeHooks } from '../../cluster/node-hooks';
import { answerTimeoutMs } from '../../domain/liveness';
import type { LoadCounts } from '../../domain/load-counts';
import type { DatabaseAccess } from '../../store/database-access';
import { openSqlStore, type SqlStoreOptions } from '../../store/sql/open-sql-store';
import { awaitDatabase } from '../../store/sql/runtime/await-database';
import { SqlTransactionStore } from '../../store/sql/sql-transaction-store';
import type { TransactionStore } from '../../store/transaction-store';
import { endingHooks, isDeadProcess, killProcess, ownProcess } from './processes';
import type { SharedStoreNode, StoreNodeSetup } from './store-node';

export interface StoreNodeParts {
  readonly access?: DatabaseAccess;
  /** Clock of this machine, not of the store. */
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hooks: NodeHooks;
  readonly isDebugged: () => boolean;
  /** Exits the process from its main thread, in case SIGKILL has no effect. */
  readonly exitMain: () => void;
  /** Returns the time for which the event loop that runs the jobs has been blocked, in milliseconds. Absent if this thread runs the jobs. */
  readonly mainStall?: () => number;
  /** Load that the node publishes with its check-ins. Absent: none is published. */
  readonly load?: LoadCounts;
}

type ReportingParts = Pick<StoreNodeParts, 'access' | 'clock' | 'random' | 'hooks'>;

export interface SqlStoreNode extends SharedStoreNode {
  /** Returns true while a job runs here that must not run on another node at the same time. */
  readonly hasNonConcurrentWork: () => boolean;
}

/** Creates a database store and its node in the calling thread. The node checks in only after `start`. */
export async function sqlStoreNode(setup: StoreNodeSetup, parts: StoreNodeParts): Promise<SqlStoreNode> {
  const { hooks, clock, isDebugged, load } = parts;
  const { sql, instanceId, maxHandOvers, timeZoneData } = setup;
  const pace = paceOf(setup);
  const availability = new Availability(clock, () => hooks.storeAvailable());
  const fence: NodeFence = new NodeFence(() => node);
  const hasNonConcurrentWork = () => fence.hasNonConcurrentWork;
  const { store, cluster, examiner } = await openSqlStore({
    ...storeOptions(setup, parts),
    availability,
    fence,
  });
  let hasJoined = false;
  // A node that failed to join rejects `start` and does not end the process.
  const end = { clock, isDebugged: () => !hasJoined || isDebugged(), end: () => killProcess(parts.exitMain) };
  const node = new ClusterNode(
    {
      ...parts,
      hooks: sql.onLeaseLost === 'exit-process' ? endingHooks(hooks, end) : hooks,
      store: cluster,
      availability,
      isDeadProcess,
      suspendedTime,
      inFlight: fence.inFlight,
      hasNonConcurrentWork,
      readLoad: () => load?.read() ?? null,
    },
    {
      node: { ...thisProcess(), instanceId, timeZoneData, ...pace },
      maxMainStall: sql.maxMainStall,
      maxRecoveryAttempts: sql.maxRecoveryAttempts,
      maxHandOvers,
      isReadableByJava: sql.useProperties,
    },
  );
  let stopping = new AbortController();
  const start = async () => {
    stopping = new AbortController();
    const { signal } = stopping;
    await awaitDatabase(() => node.start(), { ...storeOptions(setup, parts), signal });
    hasJoined = true;
  };
  const stop = () => {
    stopping.abort();
    return node.stop();
  };
  const checkLease = async () => node.checkLease();
  return { store, cluster: { store: cluster, examiner, start, stop, checkLease }, hasNonConcurrentWork };
}

export function sqlTransactionStore(setup: StoreNodeSetup, parts: ReportingParts): TransactionStore {
  return new SqlTransactionStore(storeOptions(setup, parts));
}

function storeOptions(setup: StoreNodeSetup, parts: ReportingParts): SqlStoreOptions {
  const { sql, instanceName: schedName, instanceId, timeZone, policy, scope } = setup;
  const { access, clock, random } = parts;
  const given = access === undefined ? {} : { access };
  const ofNode = { schedName, instanceId, timeZone, policy, scope };
  // Equal for all connections of a process, so that those of the calling thread notice a lost network as soon as the store's.
  const checkInTimeoutMs = answerTimeoutMs(paceOf(setup));
  return { ...sql, ...given, ...ofNode, checkInTimeoutMs, clock, random, ...reports(parts) };
}

function paceOf({ sql }: StoreNodeSetup) {
  return { checkInInterval: sql.clusterCheckinInterval, checkInGrace: sql.clusterCheckinGrace };
}

function thisProcess() {
  return { version: VERSION, host: hostname(), processId: process.pid, process: ownProcess() };
}

/** Publishes problems of a store as events. Publishes each warning only once. */
function reports({
  hooks,
  clock,
}: ReportingParts): Pick<SqlStoreOptions, 'onWarning' | 'onUnreadableRow' | 'onRowProblem'> {
  const warnings = new WarnOnce();
  return {
    onWarning(message) {
      if (warnings.isNew(message)) hooks.publish({ type: 'configurationWarning', at: clock.now(), message });
    },
    onUnreadableRow(row, silenced) {
      hooks.publish({ type: 'rowUnreadable', at: clock.now(), row, silenced });
    },
    onRowProblem({ what, name, doing = 'reading', error }) {
      const during = `${doing} the ${what} '${name}'`;
      if (warnings.isNew(`${during}: ${error.message}`)) {
        hooks.publish({ type: 'schedulerError', at: clock.now(), during, error });
      }
    },
  };
}

/** Maximum number of warnings to remember, which bounds memory. Once it is reached, earlier warnings may be published again. */
const MAX_REMEMBERED = 1_000;

export class WarnOnce {
  readonly #reported = new Set<string>();

  isNew(text: string): boolean {
    if (this.#reported.has(text)) return false;
    if (this.#reported.size >= MAX_REMEMBERED) this.#reported.clear();
    this.#reported.add(text);
    return true;
  }
}
