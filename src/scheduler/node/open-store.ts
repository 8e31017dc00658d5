import { type Clock, SystemClock } from '../../base/clock';
import { fireInstanceIds, type RandomSource, systemRandom } from '../../base/ids';
import type { NodeHooks } from '../../cluster/node-hooks';
import type { OnLeaseLost, SchedulerConfig } from '../../config/scheduler-config';
import type { DatabaseAccess } from '../../store/database-access';
import { MemoryJobStore } from '../../store/memory/memory-job-store';
import { isDebugged } from './process-end';
import { alongside, type SharedStoreNode, type StoreNode, type StoreNodeSetup } from './store-node';

export interface StoreParts {
  /** How to reach the database, as far as only code can say it. */
  readonly access?: DatabaseAccess;
  readonly hooks: NodeHooks;
  /** Not the system's: then the store runs in this thread, where it can be had. */
  readonly clock?: Clock;
  readonly random?: RandomSource;
  /** The clock does not keep the process alive. */
  readonly unref?: boolean;
  /** Where the configuration does not say it; default `abort`. */
  readonly onLeaseLost?: OnLeaseLost;
  /** The file that the store's thread runs. */
  readonly storeThreadEntry?: string;
}

/** A store, and the clock that its scheduler goes by: the store's own, where several nodes share it. */
export interface OpenedStore {
  readonly clock: Clock;
  readonly node: StoreNode;
}

/** The store a configuration names, built and not yet opened. Rejects with what keeps it from being built. */
export async function openStore(config: SchedulerConfig, parts: StoreParts): Promise<OpenedStore> {
  const { random = systemRandom, unref = false } = parts;
  const clock = parts.clock ?? new SystemClock({ keepsAlive: !unref });
  const { sql } = config.jobStore;
  if (sql === undefined) {
    return { clock, node: { store: new MemoryJobStore(fireInstanceIds(random)), cluster: null } };
  }
  const { instanceName, instanceId, timeZone } = config;
  const onLeaseLost = sql.onLeaseLost ?? parts.onLeaseLost ?? 'abort';
  const setup: StoreNodeSetup = { instanceName, instanceId, timeZone, sql: { ...sql, onLeaseLost } };
  const node = await sharedStore(setup, { ...parts, clock, random });
  return parts.clock === undefined ? inClusterTime(node, clock, parts.hooks) : { clock, node };
}

/** What a database needs is loaded only for one. */
async function sharedStore(
  setup: StoreNodeSetup,
  parts: StoreParts & { readonly clock: Clock; readonly random: RandomSource },
): Promise<SharedStoreNode> {
  const isOwnTime = !(parts.clock instanceof SystemClock) || parts.random !== systemRandom;
  const { password, pool } = parts.access ?? {};
  // The settings of a pool may hold functions and open files, which cannot go to another thread.
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
  return sqlStoreNode(setup, { ...parts, isDebugged });
}

async function inClusterTime(
  { store, cluster }: SharedStoreNode,
  local: Clock,
  hooks: NodeHooks,
): Promise<OpenedStore> {
  try {
    const { clusterTime } = await import('./cluster-time');
    const { clock, service } = await clusterTime(local, cluster.store, (event) => hooks.publish(event));
    return { clock, node: { store, cluster: alongside(cluster, service) } };
  } catch (error) {
    await store.close();
    throw error;
  }
}
