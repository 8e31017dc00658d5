import { Availability } from '../../base/availability';
import type { Clock } from '../../base/clock';
import { type RandomSource, runIdSource } from '../../base/ids';
import type { WholePolicy } from '../../domain/execution-policy';
import { type NodeScope, scopeOfNode } from '../../domain/placement';
import type { UnreadableRow } from '../../domain/scheduler-event';
import type { FiringFence } from '../cluster-store';
import type { DatabaseExaminer } from '../database-examiner';
import type { DatabaseOptions } from './engine/engine';
import { engineOf } from './engines';
import { SqlExaminer } from './examination/sql-examiner';
import { openDatabase, openSchemaConnection } from './open-database';
import { ScanMemory } from './operations/scan-memory';
import { LockedRows, RejectedTriggers } from './rows/skipped-triggers';
import type { RowProblem, SqlNode } from './rows/sql-node';
import { UnreadableRows } from './rows/unreadable-rows';
import { awaitDatabase } from './runtime/await-database';
import { Transactions } from './runtime/transactions';
import { TurnWatch } from './runtime/turn-watch';
import { SqlClusterStore } from './sql-cluster-store';
import { SqlJobStore } from './sql-job-store';

/** Identity of the node that uses the store, and access to its database. */
export interface SqlStoreOptions extends Omit<DatabaseOptions, 'isolation'> {
  readonly schedName: string;
  readonly instanceId: string;
  readonly timeZone: string;
  /** Triggers that the node takes. Default: triggers of any priority, with no label but its own. */
  readonly scope?: NodeScope;
  /** Policy for jobs and triggers that set none. */
  readonly policy: WholePolicy;
  /** True to write new job data as Properties text, for Java nodes with `useProperties`. */
  readonly useProperties: boolean;
  /** Time that each step of the start waits for a database that is unreachable or busy. Milliseconds. */
  readonly startTimeout: number;
  readonly fence?: FiringFence;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Availability of the database, shared with other components that wait for it. */
  readonly availability?: Availability;
  readonly onRowProblem: (problem: RowProblem) => void;
  /** Called once for every row that this node cannot read. `silenced`: further rows are not reported for a minute. */
  readonly onUnreadableRow: (row: UnreadableRow, silenced: boolean) => void;
}

/** A store on tables in the expected state. Closing the job store closes the connections of both. */
export interface OpenSqlStore {
  readonly store: SqlJobStore;
  readonly cluster: SqlClusterStore;
  readonly examiner: DatabaseExaminer;
}

/** Connects to the database, migrates its tables as far as `schema` allows, and builds a node's store on them. */
export async function openSqlStore(options: SqlStoreOptions): Promise<OpenSqlStore> {
  const { schedName, clock, random, availability = new Availability(clock) } = options;
  const { driver } = await awaitDatabase(() => openDatabase(options), options);
  const node = sqlNodeOf(options);
  const onLongWait = () => node.lockedRows.suspect();
  const transactions = new Transactions(driver, {
    ...{ schedName, clock, random, availability, onLongWait },
    starting: options,
  });
  const scan = new ScanMemory(node);
  const cluster = new SqlClusterStore(transactions, node, scan);
  const ofNode = { schedName, instanceId: options.instanceId, clock, readClock: () => cluster.readClock() };
  return {
    store: new SqlJobStore(transactions, node, driver.dialect.name, scan),
    cluster,
    examiner: new SqlExaminer({
      ...options,
      ...ofNode,
      engine: engineOf(options.dataSource),
      driver,
      maxConnections: options.dataSource.maxConnections,
      connect: () => openSchemaConnection({ ...options, onWarning: () => undefined }), // warnings were reported at the start
    }),
  };
}

/** Returns the node as the store's operations see it. */
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
    clock,
    scope: options.scope ?? scopeOfNode(instanceId),
    policy,
    rejectedTriggers: new RejectedTriggers(clock),
    lockedRows: new LockedRows(clock),
    turns: new TurnWatch(),
    unreadable: new UnreadableRows(clock, options.onUnreadableRow),
    onRowProblem: options.onRowProblem,
  };
}
