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

/** Whose store it is, and how to reach it. */
export interface SqlStoreOptions extends Omit<DatabaseOptions, 'isolation'> {
  readonly schedName: string;
  readonly instanceId: string;
  readonly timeZone: string;
  /** What the node takes; default: triggers of any priority, with no label but its own. */
  readonly scope?: NodeScope;
  /** For jobs and triggers that leave something open. */
  readonly policy: WholePolicy;
  /** New job data as Properties text, as Java nodes with `useProperties` want it. */
  readonly useProperties: boolean;
  /** For how long each step of the start waits for a database that cannot be reached, or that others keep busy. Milliseconds. */
  readonly startTimeout: number;
  readonly fence?: FiringFence;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Of the database, shared with what else waits for it. */
  readonly availability?: Availability;
  readonly onRowProblem: (problem: RowProblem) => void;
  /** Hears once of every row that this node cannot understand; `silenced`: for a minute of no further one. */
  readonly onUnreadableRow: (row: UnreadableRow, silenced: boolean) => void;
}

/** A store on tables that are as they must be. Closing the job store closes the connections of both. */
export interface OpenSqlStore {
  readonly store: SqlJobStore;
  readonly cluster: SqlClusterStore;
  readonly examiner: DatabaseExaminer;
}

/** Reaches the database, brings its tables to where `schema` allows, and builds a node's store on them. */
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
      connect: () => openSchemaConnection({ ...options, onWarning: () => undefined }), // they were given at the start
    }),
  };
}

/** Who works on the tables, as the operations know him. */
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
