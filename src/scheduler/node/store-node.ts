import type { Clock } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import type { Service } from '../../base/service';
import { settlesWithin } from '../../base/sleep';
import type { SchedulerConfig, SqlStoreConfig } from '../../config/scheduler-config';
import type { NodeScope } from '../../domain/placement';
import type { ClusterStore } from '../../store/cluster-store';
import type { DatabaseExaminer } from '../../store/database-examiner';
import type { JobStore } from '../../store/job-store';
import type { TransactionStore } from '../../store/transaction-store';

/** Store of a scheduler with its cluster membership. */
export interface StoreNode {
  readonly store: JobStore;
  readonly cluster: ClusterMember | null;
  /** Store for transactions of callers and jobs; null if the store is not in a database. */
  readonly transactions: TransactionStore | null;
}

/** A store that several nodes share. */
export type SharedStoreNode = Omit<StoreNode, 'transactions'> & { readonly cluster: ClusterMember };

/** Functions of the cluster store that a scheduler uses in addition to its schedule. */
export type ClusterReader = Pick<
  ClusterStore,
  | 'readClock'
  | 'readNodes'
  | 'readLoads'
  | 'getFirings'
  | 'newestRun'
  | 'saveProgress'
  | 'findRunning'
  | 'sendSignal'
  | 'publishJobTypes'
  | 'publishDraining'
  | 'readJobTypes'
  | 'readBacklog'
  | 'findOrphans'
  | 'sweep'
  | 'watchChanges'
  | 'readActivity'
  | 'readFirstToFire'
>;

/** This scheduler as a node of the cluster. */
export interface ClusterMember {
  readonly store: ClusterReader;
  readonly examiner: DatabaseExaminer;
  /** Joins the cluster and starts checking in. Has no effect if it has joined. Rejects with INSTANCE_ID_TAKEN. */
  start(): Promise<void>;
  /** Leaves the cluster. */
  stop(): Promise<void>;
  /** Reports a lost lease immediately, even if no timer of this process has detected it yet. */
  checkLease(): Promise<void>;
}

/** Configuration of a database store. Plain data, because the store may be created in another thread. */
export interface StoreNodeSetup extends Pick<SchedulerConfig, 'instanceName' | 'instanceId' | 'timeZone' | 'policy'> {
  readonly sql: SqlStoreConfig;
  /** Labels of the node, and the priorities of triggers that it fires. */
  readonly scope: NodeScope;
  /** Shared memory in which the jobs' thread counts its load. */
  readonly load?: SharedArrayBuffer;
  /** True if the store's thread requests the password for each connection from the main thread. */
  readonly asksPassword?: boolean;
}

/** Extends a cluster member by a service that runs while it is one. */
export function alongside(member: ClusterMember, service: Service): ClusterMember {
  return {
    store: member.store,
    examiner: member.examiner,
    async start() {
      await member.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await member.stop();
    },
    checkLease: () => member.checkLease(),
  };
}

/** Minimum time for each step, even after the deadline. A store that answers needs no longer. */
const MIN_CLOSE_TIMEOUT_MS = 250;

/**
 * Leaves the cluster and closes the store within `deadline` milliseconds. Abandons a store that does not answer.
 * Returns the steps that did not complete. Rejects with the error of leaving or closing, if it occurred in time.
 */
export async function closeStore(
  {
    store,
    leave,
    transactions,
  }: Pick<StoreNode, 'store'> & Partial<Pick<StoreNode, 'transactions'>> & { readonly leave: () => Promise<void> },
  clock: Clock,
  deadline: number,
): Promise<readonly string[]> {
  const end = clock.monotonic() + deadline;
  const timeLeft = () => Math.max(MIN_CLOSE_TIMEOUT_MS, end - clock.monotonic());
  const undone: string[] = [];
  const left = leave();
  if (await settlesWithin(clock, timeLeft(), left)) await left;
  else {
    undone.push('leaving the cluster');
    left.catch(() => undefined);
  }
  await transactions?.close(timeLeft());
  await store.close(timeLeft());
  return undone;
}

/** Error for a shutdown that reached its deadline before all steps were complete. */
export function notDone(undone: readonly string[]): SchedulerError {
  return new SchedulerError(
    'STORE_FAILURE',
    `The store did not answer before the deadline. Not done: ${undone.join(', ')}. Other nodes, or this one after a restart, recover ` +
      'its firings.',
  );
}
