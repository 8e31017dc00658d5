import type { Availability } from '../../base/availability';
import type { Clock } from '../../base/clock';
import { type RandomSource, runIdSource } from '../../base/ids';
import type { WholePolicy } from '../../domain/execution-policy';
import { type NodeScope, scopeOfNode } from '../../domain/placement';
import type { UnreadableRow } from '../../domain/scheduler-event';
import type { FiringFence } from '../cluster-store';
import type { DatabaseExaminer } from '../database-examiner';
import type { DatabaseOptions } from './engine/engine';
import { SqlExaminer } from './examination/sql-examiner';
import { engineOf, openDatabase, openSchemaConnection } from './open-database';
import { newAcquireMemory } from './operations/acquire-memory';
import { JavaNodes } from './rows/java-nodes';
import { NodeTransactions } from './rows/node-transaction';
import { LockedRows, RejectedTriggers } from './rows/skipped-triggers';
import type { RowProblem, SqlNode } from './rows/sql-node';
import { UnreadableRows } from './rows/unreadable-rows';
import { awaitDatabase } from './runtime/await-database';
import { LimitWatch } from './runtime/limit-watch';
import { Transactions } from './runtime/transactions';
import { TurnWatch } from './runtime/turn-watch';
import { SqlClusterStore } from './sql-cluster-store';
import { SqlJobStore } from './sql-job-store';

export interface SqlStoreOptions extends Omit<DatabaseOptions, 'isolation'> {
  readonly schedName: string;
  readonly instanceId: string;
  readonly timeZone: string;
  /** Labels and priorities of the triggers that the node may fire. Default: triggers of any priority that need no label except the node's own. */
  readonly scope?: NodeScope;
  readonly policy: WholePolicy;
  /** True to write new job data as Properties text, for Java nodes with `useProperties`. */
  readonly useProperties: boolean;
  /** Time for which each startup step is retried while the database is unreachable or busy, in milliseconds. */
  readonly startTimeout: number;
  readonly fence?: FiringFence;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Availability of the database, shared with other components that wait for the database. Default: not shared. */
  readonly availability?: Availability;
  readonly onRowProblem: (problem: RowProblem) => void;
  /** Called once for each row that this node cannot read. `silenced`: true if no further rows will be reported for a minute. */
  readonly onUnreadableRow: (row: UnreadableRow, silenced: boolean) => void;
}

/** A store whose tables exist in the expected state. `store.close` also closes the connections of `cluster`. */
export interface OpenSqlStore {
  readonly store: SqlJobStore;
  readonly cluster: SqlClusterStore;
  readonly examiner: DatabaseExaminer;
}

/** Connects to the database, migrates the tables as far as `schema` allows, and creates the node's store. Rejects like `openDatabase`. */
export async function openSqlStore(options: SqlStoreOptions): Promise<OpenSqlStore> {
  const { driver } = await awaitDatabase(() => openDatabase(options), options);
  const node = sqlNodeOf(options);
  const onLongWait = () => node.lockedRows.suspect();
  const transactions = new NodeTransactions(
    new Transactions(driver, { ...options, onLongWait, starting: options }),
    node,
  );
  const memory = newAcquireMemory(transactions);
  const cluster = new SqlClusterStore(transactions, memory);
  return {
    store: new SqlJobStore(transactions, driver.dialect.name, memory),
    cluster,
    examiner: new SqlExaminer({
      ...options,
      readClock: cluster.readClock,
      engine: engineOf(options.dataSource),
      driver,
      maxConnections: options.dataSource.maxConnections,
      connect: () => openSchemaConnection({ ...options, onWarning: () => undefined }), // warnings were reported at start
    }),
  };
}

export function sqlNodeOf(options: SqlStoreOptions): SqlNode {
  const { schedName, instanceId, timeZone, clock, policy } = options;
  return {
    schedName,
    instanceId,
    incarnation: { epoch: null, jobTypes: null, status: 'MEMBER' },
    newRunId: runIdSource(options.random),
    timeZone,
    ...(options.fence === undefined ? {} : { fence: options.fence }),
    newDataForm: options.useProperties ? 'properties' : 'json',
    javaNodes: new JavaNodes(clock),
    clock,
    scope: options.scope ?? scopeOfNode(instanceId),
    policy,
    rejectedTriggers: new RejectedTriggers(clock),
    lockedRows: new LockedRows(clock),
    turns: new TurnWatch(),
    limits: new LimitWatch(),
    unreadable: new UnreadableRows(clock, options.onUnreadableRow),
    onRowProblem: options.onRowProblem,
  };
}
