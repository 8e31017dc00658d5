import { Availability } from '../../base/availability';
import type { Clock } from '../../base/clock';
import { fireInstanceIds, type RandomSource } from '../../base/ids';
import type { UnreadableRow } from '../../domain/unreadable-row';
import type { FiringFence } from '../cluster-store';
import { type DatabaseOptions, openDatabase } from './open-database';
import { BacklogCursor } from './operations/backlog-cursor';
import { LockedRows } from './rows/locked-rows';
import type { RowProblem, SqlNode } from './rows/sql-node';
import { UnreadableRows } from './rows/unreadable-rows';
import { awaitDatabase } from './runtime/await-database';
import { RejectedTriggers } from './runtime/rejected-triggers';
import { Transactions } from './runtime/transactions';
import { SqlClusterStore } from './sql-cluster-store';
import { SqlJobStore } from './sql-job-store';

/** Whose store it is, and how to reach it. */
export interface SqlStoreOptions extends Omit<DatabaseOptions, 'isolation'> {
  readonly schedName: string;
  readonly instanceId: string;
  readonly timeZone: string;
  /** New job data as Properties text, as Java nodes with `useProperties` want it. */
  readonly useProperties: boolean;
  /** How long a database that cannot be reached is waited for. Milliseconds. */
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
}

/** Reaches the database, brings its tables to where `schema` allows, and builds a node's store on them. */
export async function openSqlStore(options: SqlStoreOptions): Promise<OpenSqlStore> {
  const {
    schedName,
    instanceId,
    timeZone,
    clock,
    random,
    availability = new Availability(clock),
    onRowProblem,
  } = options;
  const { driver } = await awaitDatabase(() => openDatabase(options), options);
  const lockedRows = new LockedRows(clock);
  const onLongWait = () => lockedRows.suspect();
  const transactions = new Transactions(driver, { schedName, clock, random, availability, onLongWait });
  const node: SqlNode = {
    schedName,
    instanceId,
    newFireInstanceId: fireInstanceIds(random),
    life: { epoch: null, jobTypes: null },
    timeZone,
    ...(options.fence === undefined ? {} : { fence: options.fence }),
    newDataForm: options.useProperties ? 'properties' : 'json',
    clock,
    rejectedTriggers: new RejectedTriggers(clock),
    lockedRows,
    unreadable: new UnreadableRows(clock, options.onUnreadableRow),
    onRowProblem,
  };
  const scan = new BacklogCursor(node);
  return {
    store: new SqlJobStore(transactions, node, driver.dialect.name, scan),
    cluster: new SqlClusterStore(transactions, node, scan),
  };
}
