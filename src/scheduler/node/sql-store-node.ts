import { hostname } from 'node:os';
import { Availability } from '../../base/availability';
import { type Clock, suspendedTime } from '../../base/clock';
import type { RandomSource } from '../../base/ids';
import { VERSION } from '../../base/version';
import { ClusterNode } from '../../cluster/cluster-node';
import { FencedStore } from '../../cluster/fenced-store';
import type { NodeHooks } from '../../cluster/node-hooks';
import { answerPatience, type CheckInPace } from '../../domain/liveness';
import type { ClusterStore } from '../../store/cluster-store';
import type { DatabaseAccess } from '../../store/database-access';
import type { JobStore } from '../../store/job-store';
import { openSqlStore, type SqlStoreOptions } from '../../store/sql/open-sql-store';
import { storeMethods } from '../../store/thread/remote-store';
import { endingHooks, endProcess } from './ending-hooks';
import { isDeadProcess, ownProcess } from './processes';
import type { SharedStoreNode, StoreNodeSetup } from './store-node';
import { WarnOnce } from './warn-once';

export interface StoreNodeParts {
  /** How to reach the database, as far as only code can say it. */
  readonly access?: DatabaseAccess;
  /** The machine's. */
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hooks: NodeHooks;
  readonly isDebugged: () => boolean;
  /** For how long the thread that runs the jobs has not turned; absent when it is this one. Milliseconds. */
  readonly mainStall?: () => number;
}

export interface SqlStoreNode extends SharedStoreNode {
  /** Whether a job runs here that must not run elsewhere at the same time. */
  readonly hasExclusiveWork: () => boolean;
}

/** A store in a database and the node that lives by it, in the thread that calls. Nothing of it checks in before `start`. */
export async function sqlStoreNode(setup: StoreNodeSetup, parts: StoreNodeParts): Promise<SqlStoreNode> {
  const { hooks, clock, random } = parts;
  const { sql, instanceName, instanceId, timeZone } = setup;
  const availability = new Availability(clock, () => hooks.storeAvailable());
  const { store, cluster } = await openSqlStore({
    ...sql,
    ...(parts.access === undefined ? {} : { access: parts.access }),
    schedName: instanceName,
    instanceId,
    timeZone,
    clock,
    random,
    availability,
    checkInPatience: answerPatience(paceOf(setup)),
    ...tellersOf(parts),
  });
  const fenced: FencedStore = new FencedStore(store, () => node);
  let hasJoined = false;
  const node = clusterNode(setup, {
    ...parts,
    hooks: sql.onLeaseLost === 'exit-process' ? orEnd(parts, () => hasJoined) : hooks,
    store: cluster,
    availability,
    fenced,
  });
  return {
    store: withFence(store, fenced),
    cluster: {
      store: cluster,
      async start() {
        await node.start();
        hasJoined = true;
      },
      stop: () => node.stop(),
      lookAtLease: async () => node.lookAtLease(),
    },
    hasExclusiveWork: () => fenced.hasExclusiveWork,
  };
}

/** How a store tells what it meets: as events, a warning once. */
function tellersOf({
  hooks,
  clock,
}: StoreNodeParts): Pick<SqlStoreOptions, 'onWarning' | 'onUnreadableRow' | 'onRowProblem'> {
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

/** A node that cannot even join tells its caller, and ends nothing. */
function orEnd({ hooks, clock, isDebugged }: StoreNodeParts, hasJoined: () => boolean): NodeHooks {
  return endingHooks(hooks, { clock, isDebugged: () => !hasJoined() || isDebugged(), end: endProcess });
}

function clusterNode(
  setup: StoreNodeSetup,
  parts: StoreNodeParts & {
    readonly store: ClusterStore;
    readonly availability: Availability;
    readonly fenced: FencedStore;
  },
): ClusterNode {
  const { sql, instanceId } = setup;
  const node = {
    instanceId,
    version: VERSION,
    host: hostname(),
    processId: process.pid,
    process: ownProcess(),
    ...paceOf(setup),
  };
  const { maxMainStall, maxRecoveryAttempts, useProperties: isReadableByJava } = sql;
  return new ClusterNode(
    {
      ...parts,
      isDeadProcess,
      suspendedTime,
      holdings: parts.fenced.holdings,
      hasExclusiveWork: () => parts.fenced.hasExclusiveWork,
    },
    { node, maxMainStall, maxRecoveryAttempts, isReadableByJava },
  );
}

function paceOf({ sql }: StoreNodeSetup): CheckInPace {
  return { checkInInterval: sql.clusterCheckinInterval, checkInGrace: sql.clusterCheckinGrace };
}

/** The store with its firing part behind the node's lease. */
function withFence(store: JobStore, fenced: FencedStore): JobStore {
  return {
    ...storeMethods(store),
    applySchedule: (changes, options) => fenced.applySchedule(changes, options),
    acquireTriggers: (request) => fenced.acquireTriggers(request),
    releaseTriggers: (acquired) => fenced.releaseTriggers(acquired),
    fireTriggers: (acquired, now) => fenced.fireTriggers(acquired, now),
    completeTriggers: (completions) => fenced.completeTriggers(completions),
    recoverMisfires: (request) => fenced.recoverMisfires(request),
    description: store.description,
    open: (onScheduleChanged) => store.open(onScheduleChanged),
    close: (patience) => store.close(patience),
  };
}
