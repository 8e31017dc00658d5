import type { IsolationLevel } from '../../src/store/sql/runtime/sql-driver';
import { storesOfNodes } from '../support/database/cluster-stores';
import { JAVA_TABLES } from '../support/database/java-tables';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
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

/** How a server is used: one file of tests for each, so that they run side by side. */
export interface MysqlStage {
  readonly isolation: IsolationLevel;
  /** The default character set of the database, and its collation. */
  readonly defaults: string;
  readonly tables: 'ours' | 'of Java';
  readonly areas: NonNullable<JobStoreUnderTest['areas']>;
  /** Of a server of its own; none: the one that all tests share. */
  readonly options?: readonly string[];
  /** The kind of server; nothing is played where the run has none of it. */
  readonly flavour: Flavour;
}

/** The conformance suite on MySQL or MariaDB, as the stage says. */
export function describeOnMysql({ isolation, defaults, tables, areas, options = [], flavour }: MysqlStage): void {
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
      create: async () => storeOn(stores),
      createInScope: async (scope) => storeOn(stores, testNode({ scope })),
      capabilities: { exactKeys: tables === 'ours', largeSchedules: false },
      createNodes: async (instanceIds) => storesOfNodes(stores, instanceIds),
    });
  });
}
