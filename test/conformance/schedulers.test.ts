import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';
import { memoryFolder } from '../support/memory-folder.cjs';
import { describeAroundJobs } from './scheduler-areas/around-jobs';
import { describeFactories } from './scheduler-areas/factories';
import { describeLargeSets } from './scheduler-areas/large-sets';
import { describeOneOffs } from './scheduler-areas/one-offs';
import { describeSpreadHours } from './scheduler-areas/spread-hours';
import { SchedulerStage, type StoreOfSchedulers } from './scheduler-areas/stage';
import { describeTimeLimits } from './scheduler-areas/time-limits';
import { describeTransactions } from './scheduler-areas/transactions';

/** Guarantees of every store to users of the package, as far as the store interface alone does not show them. */
function describeSchedulers(store: StoreOfSchedulers): void {
  describe(`schedulers, ${store.name}`, () => {
    const stage = new SchedulerStage(store);

    afterEach(() => stage.shutdown());

    describeTransactions(() => stage);
    describeOneOffs(() => stage);
    describeFactories(() => stage);
    // Above the port of the stores, a server is like a file.
    if (store.name === 'mysql' && !IS_LONG) return;
    describeAroundJobs(() => stage);
    describeTimeLimits(() => stage);
    describeSpreadHours(() => stage);
    describeLargeSets(() => stage);
  });
}

describeSchedulers({ name: 'memory', database: () => undefined });

describe('in a file', () => {
  const folder = memoryFolder('quartz-ts-conformance-');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describeSchedulers({ name: 'sqlite', database: () => join(folder, 'quartz.db') });
});

describeOnAnyServer('on a server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
  });
  afterAll(() => database.drop());

  describeSchedulers({ name: 'mysql', database: () => database.url });
});
