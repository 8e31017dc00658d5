import { storesOfNodes } from '../support/database/cluster-stores';
import { JAVA_TABLES } from '../support/database/java-tables';
import { openStores, type StoreDatabase, storeOn } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnServer,
  type PrivateServer,
  sharedServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';
import { describeJobStore } from './describe-job-store';

/** `loose-`: a server that does not know the option starts all the same. */
const SNAPSHOT_ISOLATION = ['--loose-innodb-snapshot-isolation=ON'];

/**
 * The suite under both isolation levels, also where writing what changed since the snapshot is an error (1020), in a database
 * whose default character set cannot hold every name, and on the tables that a Java fleet made, with its own indexes and a
 * collation that ignores trailing blanks. What has nothing to do with one another is tried together.
 */
describeOnServer.each([
  { isolation: 'READ COMMITTED', defaults: 'utf8mb4', tables: 'ours', options: [] },
  { isolation: 'REPEATABLE READ', defaults: 'latin1', tables: 'ours', options: SNAPSHOT_ISOLATION },
  { isolation: 'REPEATABLE READ', defaults: 'utf8mb4 COLLATE utf8mb4_bin', tables: 'of Java', options: [] },
] as const)('$isolation, default $defaults, tables $tables, options $options', (stage) => {
  const { isolation, defaults, tables, options } = stage;
  let own: PrivateServer | null = null;
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    if (options.length > 0) own = await startServer(options);
    database = await createDatabase(own ?? (await sharedServer()), defaults);
    if (tables === 'of Java') for (const text of JAVA_TABLES) await database.query(text);
    stores = await openStores(database.url, { isolation, schema: tables === 'of Java' ? 'migrate' : 'create' });
  });

  afterAll(async () => {
    await stores.close();
    await database.drop();
    await own?.stop();
  });

  describeJobStore({
    name: 'mysql',
    create: async () => storeOn(stores),
    capabilities: { exactKeys: tables === 'ours', largeSchedules: false },
    createNodes: async (instanceIds) => storesOfNodes(stores, instanceIds),
  });
});
