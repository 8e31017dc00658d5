import { type Clock, SystemClock } from '../../base/clock';
import { type RandomSource, runIdSource, systemRandom } from '../../base/ids';
import { SteadyClock } from '../../base/steady-clock';
import type { NodeHooks } from '../../cluster/node-hooks';
import type { OnLeaseLost, SchedulerConfig } from '../../config/scheduler-config';
import type { LoadCounts } from '../../domain/load-counts';
import { scopeOfNode } from '../../domain/placement';
import type { DatabaseAccess } from '../../store/database-access';
import type { TransactionStore } from '../../store/transaction-store';
import { exitMain, isDebugged } from './processes';
import { alongside, type SharedStoreNode, type StoreNode, type StoreNodeSetup } from './store-node';

export interface StoreParts {
  readonly access?: DatabaseAccess;
  readonly hooks: NodeHooks;
  readonly load: LoadCounts;
  /** Clock to use instead of the system's. The store then runs in this thread, because a clock cannot be passed to another thread. */
  readonly clock?: Clock;
  readonly random?: RandomSource;
  /** Version of this process's time zone data; null if unknown. */
  readonly timeZoneData: string | null;
  /** True if the clock must not keep the process alive. */
  readonly unref?: boolean;
  /** Action when this node loses its lease, unless the configuration sets one. Default: `abort`. */
  readonly onLeaseLost?: OnLeaseLost;
  /** Path of the module that the store's thread runs. Default: the package's own module. */
  readonly storeThreadEntry?: string;
}

/** A store and the scheduler's clock, which follows the store's clock if the store can be shared. */
interface OpenedStore {
  readonly clock: Clock;
  readonly node: StoreNode;
}

/** Creates the configured store without opening it. */
export async function openStore(config: SchedulerConfig, parts: StoreParts): Promise<OpenedStore> {
  const { random = systemRandom, unref = false } = parts;
  const clock = parts.clock ?? new SystemClock({ keepsAlive: !unref });
  const { sql } = config.jobStore;
  const { instanceName, instanceId, timeZone, policy, maxHandOvers } = config;
  const scope = scopeOfNode(instanceId, config, config.jobStore.priorityAgeing);
  if (sql === undefined) {
    const { MemoryJobStore } = await import('../../store/memory/memory-job-store');
    const steady = parts.clock ?? new SteadyClock(clock);
    const { maxBytes } = config.jobStore.history;
    const onFull = (kept: { readonly runs: number; readonly bytes: number }) =>
      parts.hooks.publish({ type: 'configurationWarning', at: steady.now(), message: runsFull(kept, maxBytes) });
    const options = { instanceId, policy, scope, clock: steady, runBound: { maxBytes, onFull } };
    const store = new MemoryJobStore(runIdSource(random), options);
    return { clock: steady, node: { store, cluster: null, transactions: null } };
  }
  const onLeaseLost = sql.onLeaseLost ?? parts.onLeaseLost ?? 'abort';
  const setup: StoreNodeSetup = {
    instanceName,
    instanceId,
    timeZone,
    policy,
    maxHandOvers,
    scope,
    timeZoneData: parts.timeZoneData,
    sql: { ...sql, onLeaseLost },
  };
  const local = { ...parts, clock, random };
  const shared = await sharedStore(setup, local);
  const opened = parts.clock === undefined ? await inClusterTime(shared, clock, parts.hooks) : { clock, node: shared };
  const transactions = openedLater(async () => (await import('./sql-store-node')).sqlTransactionStore(setup, local));
  return { clock: opened.clock, node: { ...opened.node, transactions } };
}

function runsFull({ runs }: { readonly runs: number }, maxBytes: number): string {
  return (
    `The memory store has recorded ${runs} runs, about ${Math.round(maxBytes / 1_048_576)} MB (jobStore.historyMaxBytes). From now on, it drops the oldest runs, ` +
    'dead letters last. Raise the limit, shorten jobStore.historyRetention, or use a database.'
  );
}

/** Creates a database store, in a separate thread unless this thread is required. Imports the database code only here. */
async function sharedStore(
  setup: StoreNodeSetup,
  parts: StoreParts & { readonly clock: Clock; readonly random: RandomSource },
): Promise<SharedStoreNode> {
  const isOwnTime = !(parts.clock instanceof SystemClock) || parts.random !== systemRandom;
  const { password, pool } = parts.access ?? {};
  // A pool's settings may contain functions and open files, which cannot be passed to another thread.
  if (setup.sql.storeThread && !isOwnTime && pool === undefined) {
    const { threadedStoreNode } = await import('./threaded-store-node');
    const { storeThreadEntry: entry } = parts;
    return threadedStoreNode(setup, {
      ...parts,
      ...(entry === undefined ? {} : { entry }),
      ...(password === undefined ? {} : { password }),
    });
  }
  const { sqlStoreNode } = await import('./sql-store-node');
  return sqlStoreNode(setup, { ...parts, isDebugged, exitMain });
}

/** Returns a store for transactions that opens on first use, because most schedulers never use it. */
function openedLater(open: () => Promise<TransactionStore>): TransactionStore {
  let opening: Promise<TransactionStore> | null = null;
  let store: TransactionStore | null = null;
  const opened = async () => {
    opening ??= open();
    store = await opening;
    return store;
  };
  return {
    addWithin: async (connection, changes, options) => (await opened()).addWithin(connection, changes, options),
    findJobsWithin: async (connection, keys) => (await opened()).findJobsWithin(connection, keys),
    runJob: async (work, completionOf) => (await opened()).runJob(work, completionOf),
    readActivity: () => store?.readActivity() ?? null,
    close: async (timeoutMs) => (await opening)?.close(timeoutMs),
  };
}

async function inClusterTime(
  node: SharedStoreNode,
  local: Clock,
  hooks: NodeHooks,
): Promise<{ readonly clock: Clock; readonly node: SharedStoreNode }> {
  const { store, cluster } = node;
  try {
    const { clusterTime } = await import('../../cluster/cluster-clock');
    const { clock, service } = await clusterTime(local, cluster.store, (event) => hooks.publish(event));
    return { clock, node: { ...node, cluster: alongside(cluster, service) } };
  } catch (error) {
    await store.close();
    throw error;
  }
}
