import type { NodeIdentity } from '../../src/store/cluster-store';
import type { IsolationLevel } from '../../src/store/sql/runtime/sql-driver';
import type { SqlJobStore } from '../../src/store/sql/sql-job-store';
import { storesOfNode, storesOfNodes } from '../support/database/cluster-stores';
import { JAVA_TABLES } from '../support/database/java-tables';
import { type NodeOptions, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnFlavour,
  type Flavour,
  type PrivateServer,
  sharedServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';
import { describeJobStore, type JobStoreUnderTest } from './describe-job-store';

/** Use of a server. Each use has its own test file, so that they run in parallel. */
export interface MysqlStage {
  readonly isolation: IsolationLevel;
  /** The default character set of the database, and its collation. */
  readonly defaults: string;
  readonly tables: 'ours' | 'of Java';
  readonly areas: NonNullable<JobStoreUnderTest['areas']>;
  /** Options of a separate server. Without options, the tests use the shared server. */
  readonly options?: readonly string[];
  /** True for nodes of a cluster, which fire by trains; absent: a node that no other may recover, which decides everything under the lock. */
  readonly byTrains?: true;
  /** The kind of server. The suite is skipped if the run has no such server. */
  readonly flavour: Flavour;
}

/** Runs the conformance suite on MySQL or MariaDB, as the stage configures it. */
export function describeOnMysql(stage: MysqlStage): void {
  const { isolation, defaults, tables, areas, options = [], flavour, byTrains = false } = stage;
  describeOnFlavour(flavour, `${isolation}, default ${defaults}, tables ${tables}, options ${options}`, () => {
    let own: PrivateServer | null = null;
    let database: TestDatabase;
    let stores: StoreDatabase;

    beforeAll(async () => {
      if (options.length > 0) own = await startServer(options);
      database = await createDatabase(own ?? (await sharedServer()), defaults);
      if (tables === 'of Java') for (const text of JAVA_TABLES) await database.query(text);
      const schema = tables === 'of Java' ? 'migrate' : 'create';
      stores = await openStores(database.url, { isolation, schema, orderByPriority: true });
    });

    afterAll(async () => {
      await stores.close();
      await database.drop();
      await own?.stop();
    });

    describeJobStore({
      name: 'mysql',
      areas,
      create: async () => (byTrains ? joinedStore(stores) : storeOn(stores)),
      createInScope: async (scope) =>
        byTrains ? joinedStore(stores, { scope }) : storeOn(stores, testNode({ scope })),
      capabilities: { exactKeys: tables === 'ours', largeSchedules: false, byTrains },
      createNodes: async (instanceIds) => storesOfNodes(stores, instanceIds),
    });
  });
}

/** The store of a node that has joined its cluster. */
async function joinedStore(stores: StoreDatabase, options: NodeOptions = {}): Promise<SqlJobStore> {
  const { store, cluster, node } = storesOfNode(stores, options);
  await store.open(() => undefined);
  await cluster.join(aNode({ instanceId: node.instanceId }), null, { maxRecoveryAttempts: 3, maxHandOvers: 10 });
  return store;
}

function aNode({ instanceId }: Pick<NodeIdentity, 'instanceId'>): NodeIdentity {
  return {
    instanceId,
    epoch: 'the first',
    version: '1.2.3',
    host: 'some-host',
    processId: 17,
    checkInInterval: 7_500,
    checkInGrace: 5_000,
  };
}
