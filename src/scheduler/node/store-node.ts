import type { Clock } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import type { Service } from '../../base/service';
import { completesWithin } from '../../base/sleep';
import type { SchedulerConfig, SqlStoreConfig } from '../../config/scheduler-config';
import type { NodeScope } from '../../domain/placement';
import type { ClusterStore } from '../../store/cluster-store';
import type { DatabaseExaminer } from '../../store/database-examiner';
import type { JobStore } from '../../store/job-store';
import type { TransactionStore } from '../../store/transaction-store';

export interface StoreNode {
  readonly store: JobStore;
  readonly cluster: ClusterMember | null;
  /** True if the thread of the store has ended by itself, so that nothing fires until the process is restarted. Absent: never. */
  readonly hasCrashed?: () => boolean;
  /** Store for transactions of callers and jobs. Null if the store is not a database. */
  readonly transactions: TransactionStore | null;
}

export type SharedStoreNode = Omit<StoreNode, 'transactions'> & { readonly cluster: ClusterMember };

export type ClusterReader = Pick<
  ClusterStore,
  | 'readClock'
  | 'readNodes'
  | 'readLoads'
  | 'readTimeZoneData'
  | 'ensureTimeZoneData'
  | 'replaceTimeZoneData'
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
  | 'findJsonData'
  | 'sweep'
  | 'watchChanges'
  | 'readActivity'
  | 'readFirstToFire'
>;

export interface ClusterMember {
  readonly store: ClusterReader;
  readonly examiner: DatabaseExaminer;
  /** Joins the cluster and starts checking in. Does nothing if this node has already joined. Rejects with INSTANCE_ID_TAKEN. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Checks the lease. If the lease is lost but no timer has detected it yet, reports the loss immediately. */
  checkLease(): Promise<void>;
}

/** Value of `workerData.purpose` for a thread that parses a schedule file instead of running a store. */
export const SCHEDULE_FILE_THREAD = 'schedule file';

/** Configuration of a database store. Consists of plain data, because it may be sent to another thread. */
export interface StoreNodeSetup
  extends Pick<SchedulerConfig, 'instanceName' | 'instanceId' | 'timeZone' | 'policy' | 'maxHandOvers'> {
  readonly sql: SqlStoreConfig;
  readonly scope: NodeScope;
  /** Version of this process's time zone data; null if unknown. */
  readonly timeZoneData: string | null;
  /** Shared memory in which the main thread counts the node's load. */
  readonly load?: SharedArrayBuffer;
  /** True if the store's thread must request the password from the main thread for each connection. */
  readonly requestsPassword?: boolean;
}

/** Returns a cluster member that starts a service after joining, and stops the service before leaving. */
export function alongside(member: ClusterMember, service: Service): ClusterMember {
  return {
    ...member,
    async start() {
      await member.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await member.stop();
    },
  };
}

/** Minimum time for each step in milliseconds, even after the deadline. A store that responds needs less time. */
const MIN_CLOSE_TIMEOUT_MS = 250;

/** Minimum time for leaving the cluster. If a node does not leave, other nodes treat its unfinished runs as lost instead of handing them over. */
const MIN_LEAVE_TIMEOUT_MS = 2_000;

/**
 * Leaves the cluster and closes the store within `deadline` milliseconds. Abandons a store that does not respond. Returns the names of steps that did
 * not complete. Rejects with the error of a step that failed before the deadline.
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
  if (await completesWithin(clock, Math.max(MIN_LEAVE_TIMEOUT_MS, timeLeft()), left)) await left;
  else {
    undone.push('leaving the cluster');
    left.catch(() => undefined);
  }
  await transactions?.close(timeLeft());
  await store.close(timeLeft());
  return undone;
}

export function notDone(undone: readonly string[]): SchedulerError {
  return new SchedulerError(
    'STORE_FAILURE',
    `The store did not answer before the deadline. Not done: ${undone.join(', ')}. Other nodes, or this one after a restart, recover ` +
      'its firings.',
  );
}
