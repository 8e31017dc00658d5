import type { Clock } from '../../base/clock';
import { fireInstanceIds, type RandomSource } from '../../base/ids';
import { type DatabaseOptions, openDatabase } from './open-database';
import { SetAside } from './set-aside';
import { SqlClusterStore } from './sql-cluster-store';
import { SqlJobStore } from './sql-job-store';
import type { RowProblem, SqlNode } from './sql-node';
import { Transactions } from './transactions';

/** Whose store it is, and how to reach it. */
export interface SqlStoreOptions extends Omit<DatabaseOptions, 'isolation'> {
  readonly schedName: string;
  readonly instanceId: string;
  readonly timeZone: string;
  /** New job data as Properties text, as Java nodes with `useProperties` want it. */
  readonly useProperties: boolean;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly onRowProblem: (problem: RowProblem) => void;
}

/** A store on tables that are as they must be. Closing the job store closes the connections of both. */
export interface OpenSqlStore {
  readonly store: SqlJobStore;
  readonly cluster: SqlClusterStore;
}

/** Reaches the database, brings its tables to where `schema` allows, and builds a node's store on them. */
export async function openSqlStore(options: SqlStoreOptions): Promise<OpenSqlStore> {
  const { schedName, instanceId, timeZone, clock, random, onRowProblem } = options;
  const { driver } = await openDatabase(options);
  const transactions = new Transactions(driver, { schedName, clock, random });
  const node: SqlNode = {
    schedName,
    instanceId,
    newFireInstanceId: fireInstanceIds(random),
    life: { epoch: null, jobTypes: null },
    timeZone,
    newDataForm: options.useProperties ? 'properties' : 'json',
    clock,
    setAside: new SetAside(clock),
    onRowProblem,
  };
  return {
    store: new SqlJobStore(transactions, node, driver.dialect.name),
    cluster: new SqlClusterStore(transactions, node),
  };
}
