import { systemRandom } from '../../../src/base/ids';
import { newAcquireMemory } from '../../../src/store/sql/operations/acquire-memory';
import { NodeTransactions } from '../../../src/store/sql/rows/node-transaction';
import type { SqlNode } from '../../../src/store/sql/rows/sql-node';
import { Transactions } from '../../../src/store/sql/runtime/transactions';
import { SqlClusterStore } from '../../../src/store/sql/sql-cluster-store';
import { SqlJobStore } from '../../../src/store/sql/sql-job-store';
import { keptOpen, type NodeOptions, type StoreDatabase, testNode } from './sql-store';

/** Both sides of a node's store, on connections that outlive it. */
export interface SqlStoresOfNode {
  readonly store: SqlJobStore;
  readonly cluster: SqlClusterStore;
  readonly node: SqlNode;
}

/** The stores of one node. */
export function storesOfNode(database: StoreDatabase, options: NodeOptions): SqlStoresOfNode {
  const node: SqlNode = { ...testNode(options), incarnation: { epoch: null, jobTypes: null, status: 'MEMBER' } };
  const { schedName, clock, lockedRows } = node;
  const onLongWait = () => lockedRows.suspect();
  const transactions = new Transactions(keptOpen(database.driver), {
    schedName,
    clock,
    random: systemRandom,
    onLongWait,
  });
  const ofNode = new NodeTransactions(transactions, node);
  const memory = newAcquireMemory(ofNode);
  return {
    node,
    store: new SqlJobStore(ofNode, database.driver.dialect.name, memory),
    cluster: new SqlClusterStore(ofNode, memory),
  };
}

/** The stores of several nodes on one new schedule. */
export function storesOfNodes(database: StoreDatabase, instanceIds: readonly string[]): readonly SqlStoresOfNode[] {
  const { schedName } = testNode();
  return instanceIds.map((instanceId) => storesOfNode(database, { schedName, instanceId }));
}
