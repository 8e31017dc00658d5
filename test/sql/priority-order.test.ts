import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { triggerKey } from '../../src/domain/keys';
import { openSchemaConnection } from '../../src/store/sql/open-database';
import { prepareSchema, printMigration } from '../../src/store/sql/schema/migrate';
import { report } from '../cluster/support/figures';
import { everyMinute, everyNoon, HOUR, job, NOW, once, SCOPE, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { storesOfNode } from '../support/database/cluster-stores';
import { RecordingDriver } from '../support/database/recording-driver';
import { databaseOptions } from '../support/database/sql-fixture';
import {
  keptOpen,
  openSqliteStores,
  openStores,
  type StoreDatabase,
  storeOn,
  testNode,
} from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';

const AGEING = 60 * SECOND;
const LEVELS = [1, 5, 9];

function describeOrder(database: () => StoreDatabase): void {
  async function driverWith(backlog: number, recording: RecordingDriver): Promise<StoreDriver> {
    const node = testNode({ scope: { ...SCOPE, ageing: AGEING } });
    const driver = new StoreDriver(storeOn({ ...database(), driver: recording }, node));
    await driver.open();
    const low = Array.from({ length: backlog }, (_, index) =>
      once(`low ${index}`, { startTime: NOW - 30 * SECOND + (index % 1_000), priority: LEVELS[index % 2] ?? 1 }),
    );
    await driver.schedule(job('job', { durable: true }), ...low);
    return driver;
  }

  it('runs the same statements, however long the backlog', async () => {
    const read: (readonly string[])[] = [];
    const times: number[] = [];
    for (const backlog of [100, 10_000]) {
      const recording = new RecordingDriver(keptOpen(database().driver));
      const driver = await driverWith(backlog, recording);
      await driver.schedule(job('urgent'), once('urgent', { priority: 9 }));
      recording.forget();
      const start = performance.now();
      const [first, ...others] = namesOf(await driver.fireDue({ maxCount: 25 }));
      times.push(performance.now() - start);
      expect([first, others.length]).toEqual(['urgent', 24]);
      // On a busy machine, one more statement follows a long wait.
      read.push(recording.steps.filter((step) => /^select/.test(step) && step !== 'selectUnlockedTriggers'));
      await driver.store.close();
    }
    expect(read[0]).toEqual(read[1]);
    expect(read[0]?.filter((name) => name === 'selectDueKeysOfPriority')).toHaveLength(3);
    expect(read[0]?.filter((name) => name === 'selectTriggers')).toHaveLength(1);
    report(
      `25 of 100 and of 10,000 overdue triggers by priority: ${times.map((time) => time.toFixed(1)).join(' and ')} ms`,
    );
    expect(times[1]).toBeLessThan(500); // sorting them all with their data takes seconds
  });

  it('runs the same statements, however many triggers have misfired', async () => {
    const read: (readonly string[])[] = [];
    const times: number[] = [];
    for (const backlog of [100, 3_000]) {
      const recording = new RecordingDriver(keptOpen(database().driver));
      const driver = await driverWith(backlog, recording);
      const skipping = Array.from({ length: backlog }, (_, index) =>
        everyNoon(`skips ${index}`, { priority: 1, cronExpression: '0 58 * * * ?', misfireInstruction: 'DO_NOTHING' }),
      );
      await driver.schedule(job('skipping', { durable: true }), ...skipping);
      driver.now = NOW + HOUR;
      await driver.recoverMisfires(2 * backlog);
      await driver.schedule(job('urgent'), once('urgent', { startTime: driver.now, priority: 9 }));
      recording.forget();
      const start = performance.now();
      const fired = namesOf(await driver.fireDue({ maxCount: 25 }));
      times.push(performance.now() - start);
      expect(fired).toHaveLength(25);
      expect(fired.every((name) => name.startsWith('low'))).toBe(true); // an hour late: before the urgent one
      read.push(recording.steps.filter((step) => /^(select|delete)/.test(step) && step !== 'selectUnlockedTriggers'));
      await driver.store.close();
    }
    expect(read[0]).toEqual(read[1]);
    expect(read[0]?.filter((name) => name === 'selectMisfiredKeysOfPriority')).toHaveLength(2);
    expect(read[0]?.filter((name) => name === 'deleteMisfired')).toHaveLength(1);
    report(
      `25 of 200 and of 6,000 misfired triggers by priority: ${times.map((time) => time.toFixed(1)).join(' and ')} ms`,
    );
    expect(times[1]).toBeLessThan(500);
  });
}

describe('the priority order on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores({ orderByPriority: true });
  });

  describeOrder(() => stores);

  afterAll(() => stores.close());
});

describeOnServer('the priority order on a server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url, { orderByPriority: true });
  });

  describeOrder(() => stores);

  it('treats a missing priority as 5', async () => {
    const driver = new StoreDriver(storeOn(stores, testNode({ scope: { ...SCOPE, ageing: AGEING } })));
    await driver.open();
    const priorities = { four: 4, none: 3, six: 6 };
    await driver.schedule(
      job('job'),
      ...Object.entries(priorities).map(([name, priority]) => once(name, { priority })),
    );
    await database.query("UPDATE QRTZ_TRIGGERS SET PRIORITY = NULL WHERE TRIGGER_NAME = 'none'");
    expect(namesOf(await driver.fireDue())).toEqual(['six', 'none', 'four']);
    await driver.store.close();
  });

  it('forgets the first due time of a trigger that is fired, paused, deleted or moved by a Java node', async () => {
    const { schedName } = testNode();
    const { store, cluster } = storesOfNode(stores, { schedName, scope: { ...SCOPE, ageing: AGEING } });
    const driver = new StoreDriver(store);
    await driver.open();
    const names = ['deleted', 'fires', 'moved', 'paused'];
    await driver.schedule(
      job('job', { durable: true }),
      ...names.map((name) => everyMinute(name, { repeatCount: 99 })),
    );
    driver.now = NOW + HOUR;
    await driver.recoverMisfires();
    const kept = async () => {
      const where = `SCHED_NAME = '${schedName}'`;
      const rows = await database.query<{ n: string }>(
        `SELECT TRIGGER_NAME AS n FROM QRTZ_X_MISFIRED WHERE ${where} ORDER BY TRIGGER_NAME`,
      );
      return rows.map(({ n }) => n);
    };
    expect(await kept()).toEqual(names);
    await driver.apply({ type: 'deleteTrigger', key: triggerKey('deleted') });
    expect(await kept()).toEqual(['fires', 'moved', 'paused']);
    await driver.store.pauseTriggers([triggerKey('paused')]);
    expect(await kept()).toEqual(['fires', 'moved']);
    await database.query(
      `UPDATE QRTZ_TRIGGERS SET NEXT_FIRE_TIME = NEXT_FIRE_TIME + 1 WHERE TRIGGER_NAME = 'moved' AND SCHED_NAME = '${schedName}'`,
    );
    expect(namesOf(await driver.fireDue())).toEqual(['fires']);
    expect(await kept()).toEqual(['moved']);
    await cluster.sweep(100);
    expect(await kept()).toEqual([]);
    await driver.store.close();
  });

  describeIndex(() => database.url);
});

describe('the schema of the priority order on SQLite', () => {
  const folder = memoryFolder('quartz-priority-');

  afterAll(() => rmSync(folder, { recursive: true }));

  describeIndex(() => `sqlite:${join(folder, 'quartz.db')}`);
});

function describeIndex(url: () => string): void {
  it('has its index only if the order is configured; an error about the missing index includes its SQL', async () => {
    const tablePrefix = 'ORD_';
    const connection = await openSchemaConnection({ ...databaseOptions(url()), tablePrefix });
    const indexes = async () => {
      const { tables } = await connection.readCatalogue();
      return [...(tables.get('ORD_TRIGGERS')?.indexes.keys() ?? [])];
    };
    const ordered = { orderByPriority: true };
    try {
      await prepareSchema(connection, { mode: 'migrate' });
      expect((await indexes()).join()).not.toContain('_T_P_NFT');
      const statement = /CREATE INDEX IDX_ORD_X_T_P_NFT ON ORD_TRIGGERS/;
      for (const mode of ['validate', 'never'] as const) {
        const refused = { code: 'SCHEMA_MISMATCH', message: expect.stringMatching(statement) };
        await expect(prepareSchema(connection, { ...ordered, mode })).rejects.toMatchObject(refused);
      }
      expect((await printMigration(connection, ordered)).statements).toEqual([expect.stringMatching(statement)]);
      await prepareSchema(connection, { ...ordered, mode: 'create' });
      expect((await indexes()).join()).toContain('IDX_ORD_X_T_P_NFT');
      for (const options of [ordered, {}]) {
        await prepareSchema(connection, { ...options, mode: 'validate' });
        expect((await printMigration(connection, options)).statements).toEqual([]);
      }
    } finally {
      await connection.close();
    }
  });
}
