import { openStores, type StoreDatabase, storeOn } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { describeJobStore } from './describe-job-store';

/** The suite under both isolation levels, and in a database whose default character set cannot hold every name. */
describeOnServer.each([
  { isolation: 'READ COMMITTED', defaults: 'utf8mb4' },
  { isolation: 'REPEATABLE READ', defaults: 'utf8mb4' },
  { isolation: 'READ COMMITTED', defaults: 'latin1' },
] as const)('$isolation, default character set $defaults', ({ isolation, defaults }) => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer(), defaults);
    stores = await openStores(database.url, isolation);
  });

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  describeJobStore({
    name: 'mysql',
    create: async () => storeOn(stores),
    capabilities: { exactKeys: true, largeSchedules: false },
  });
});
