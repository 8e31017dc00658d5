import { inspect } from 'node:util';
import { pino } from 'pino';
import { createScheduler, newJob, newTrigger, type Scheduler } from '../../src';
import { readYaml } from '../../src/config/read-yaml';
import { resolveDocument } from '../../src/config/resolve-config';
import { openDatabase, openSchemaConnection } from '../../src/store/sql/open-database';
import { loadStatements } from '../../src/store/sql/runtime/statements';
import { job, once, without } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { clock, databaseOptions } from '../support/database/sql-fixture';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnServer,
  type PrivateServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';

const HOSTILE = [
  "'; DROP TABLE QRTZ_TRIGGERS; --",
  "x' OR '1'='1",
  '" OR ""="',
  '\\',
  "\\'; DELETE FROM QRTZ_LOCKS; #",
  '%_`QRTZ_JOB_DETAILS`',
  ':schedName ? $(x) #{x}',
];

/** Names that an attacker would choose to inject SQL. */
function describeHostileNames(database: () => StoreDatabase) {
  it.each(HOSTILE)('%s works as the name of a scheduler, job, trigger, group and calendar', async (name) => {
    const bystander = new StoreDriver(storeOn(database(), testNode({ clock })));
    const ours = new StoreDriver(storeOn(database(), testNode({ clock, schedName: name, instanceId: name })));
    await Promise.all([bystander.open(), ours.open()]);
    const key = { group: name, name };
    await bystander.scheduleAll(once('bystander'));
    await ours.apply({
      type: 'storeCalendar',
      name,
      calendar: without('2020-01-01'),
      ifExists: 'fail',
      updateTriggers: false,
    });
    await ours.schedule(
      job(name, { key, description: name, data: { [name]: name } }),
      once(name, { key, calendarName: name }),
    );
    expect(namesOf(await ours.fireDue({ maxCount: 5 }))).toEqual([name]);
    expect(namesOf(await bystander.fireDue({ maxCount: 5 }))).toEqual(['bystander']);
  });
}

describe('hostile names on SQLite', () => {
  let database: StoreDatabase;
  beforeAll(async () => {
    database = await openSqliteStores();
  });
  afterAll(() => database.close());
  describeHostileNames(() => database);
});

describeOnServer('on MySQL or MariaDB', () => {
  let server: PrivateServer;
  let tables: TestDatabase;
  beforeAll(async () => {
    server = await startServer();
    tables = await createDatabase(server);
    const { driver } = await openDatabase({ ...databaseOptions(tables.url), schema: 'create' });
    await driver.close();
    await tables.query("CREATE USER 'writer'@'%' IDENTIFIED BY 'only data'");
    await tables.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.name}.* TO 'writer'@'%'`);
  });
  afterAll(async () => {
    await tables.drop();
    await server.stop();
  });

  describe('hostile names', () => {
    let database: StoreDatabase;
    beforeAll(async () => {
      database = await openStores(tables.url);
    });
    afterAll(() => database.close());
    describeHostileNames(() => database);
  });

  describe('a database user that may only read and write rows', () => {
    let scheduler: Scheduler | null = null;
    afterEach(() => scheduler?.shutdown());

    const asUser = (schema: 'never' | 'validate' | 'create' | 'migrate') => ({
      jobStore: { class: 'mysql' as const, dataSource: 'main', storeThread: false, schema },
      dataSource: { main: { URL: tables.url.replace(/\/\/.*@/, '//'), user: 'writer', password: 'only data' } },
    });
    const silent = { logger: pino({ level: 'silent' }) };

    it.each(['validate', 'never', 'create', 'migrate'] as const)('can run a node, with schema: %s', async (schema) => {
      scheduler = await createScheduler(asUser(schema), { ...silent, jobs: { ping: async () => undefined } });
      const { subscribe } = scheduler;
      const ran = new Promise((resolve) => {
        subscribe.call(scheduler, (event) => event.type === 'triggerCompleted' && resolve(event.error));
      });
      await scheduler.scheduleJob(newJob('ping').withIdentity(`ping ${schema}`).build(), newTrigger().build());
      await scheduler.start();
      expect(await ran).toBeNull();
    });

    it('cannot change a table', async () => {
      const { driver } = await openDatabase({ ...databaseOptions(tables.url), schema: 'validate' });
      await driver.close();
      const user = tables.url.replace(/\/\/.*@/, '//writer:only%20data@');
      const connection = await openSchemaConnection(databaseOptions(user));
      await expect(connection.define('DROP TABLE QRTZ_X_META')).rejects.toMatchObject({ kind: 'schema' });
      await connection.close();
    });

    it.each([
      ['a second statement', 'SELECT 1; DROP TABLE QRTZ_X_META'],
      ['a file of this machine', "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE QRTZ_X_META"],
    ])('cannot send %s through a connection of the store', async (_what, text) => {
      const connection = await openSchemaConnection(databaseOptions(tables.url));
      await expect(connection.define(text)).rejects.toMatchObject({ name: 'SqlError' });
      await connection.close();
      expect(await tables.query('SELECT META_KEY FROM QRTZ_X_META')).not.toEqual([]);
    });

    it('gets an error with the path of an unreadable certificate file', async () => {
      const config = asUser('validate');
      config.dataSource.main.URL += '?sslCa=/nowhere/ca.pem';
      await expect(createScheduler(config, silent)).rejects.toMatchObject({
        code: 'CONFIGURATION',
        message: expect.stringMatching(/sslCa .*\/nowhere\/ca\.pem/),
      });
    });

    it('does not log in to a server with an untrusted certificate', async () => {
      const config = asUser('validate');
      config.dataSource.main.URL += '?sslMode=VERIFY_IDENTITY';
      await expect(createScheduler(config, silent)).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    });

    it('is refused without its password in the error', async () => {
      const config = asUser('validate');
      config.dataSource.main.password = 'wr/ng s3cret@';
      const failure = createScheduler(config, silent);
      await expect(failure).rejects.toMatchObject({ code: 'STORE_FAILURE' });
      const shown = inspect(await failure.catch((error: unknown) => error), { depth: 10 });
      expect(shown).not.toContain('s3cret');
      expect(shown).not.toContain('ng s3');
    });
  });
});

/** The table prefix is the only configured text that is inserted into a statement. */
describe('the table prefix', () => {
  it.each([
    'Q`',
    'q;drop',
    "q'",
    'q q',
    'a.b.',
    '-- ',
    'ä',
    'x'.repeat(31),
  ])('rejects %s before a statement is sent', (tablePrefix) => {
    expect(() => loadStatements('mysql', { tablePrefix })).toThrow(/tablePrefix: expected letters/);
    expect(() =>
      resolveDocument(readYaml(`jobStore: { tablePrefix: ${JSON.stringify(tablePrefix)} }`, 'a.yaml'), {}),
    ).toThrow(/tablePrefix/);
  });

  it.each(['', 'QRTZ_', 'scheduling.QRTZ_', 'Q$1_'])('accepts %j', (tablePrefix) => {
    expect(loadStatements('sqlite', { tablePrefix }).get('selectLock').text).toContain(`${tablePrefix}LOCKS`);
    expect(() =>
      resolveDocument(
        readYaml(`jobStore: { class: sqlite, tablePrefix: ${JSON.stringify(tablePrefix)} }`, 'a.yaml'),
        {},
      ),
    ).not.toThrow();
  });
});
