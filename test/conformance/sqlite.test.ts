import { storesOfNodes } from '../support/database/cluster-stores';
import { openSqliteStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { describeJobStore } from './describe-job-store';

let database: StoreDatabase;

beforeAll(async () => {
  database = await openSqliteStores({ orderByPriority: true });
});

afterAll(() => database.close());

describeJobStore({
  name: 'sqlite',
  create: async () => storeOn(database),
  createInScope: async (scope) => storeOn(database, testNode({ scope })),
  capabilities: { exactKeys: true, largeSchedules: true },
  createNodes: async (instanceIds) => storesOfNodes(database, instanceIds),
});
