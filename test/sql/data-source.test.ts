import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from '../../src';
import {
  createDatabase,
  describeOnOneServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { proves } from '../support/proves';
import { once } from '../support/world/once';
import { closeAll, codeOf, deleteFolders, keep } from '../support/world/world';

/** The database of these tests. Its server ends with the run. */
const database = once(async () => createDatabase(await sharedServer()));

/** The configuration for it, with the login apart from the URL. */
function configOf({ url }: TestDatabase, keys: object = {}): Configuration {
  const { username, password, host, pathname } = new URL(url);
  const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  const URL_ = `mysql://${host}${pathname}`;
  return {
    scheduler: { logLevel: 'silent' },
    jobStore: { class: 'mysql', dataSource: 'd', schema: 'create', storeThread: false },
    dataSource: { d: { URL: URL_, ...login, ...keys } },
  } as Configuration;
}

/** The configuration for a login whose password is in a file. */
function fileConfigOf(base: TestDatabase, passwordFile: string): Configuration {
  const { dataSource, ...config } = configOf(base) as { readonly dataSource: { readonly d: { readonly URL: string } } };
  return { ...config, dataSource: { d: { URL: dataSource.d.URL, user: 'rotated', passwordFile } } } as Configuration;
}

async function create(config: Configuration) {
  const { createScheduler } = await import('../../src');
  return keep(await createScheduler(config));
}

/** Number of connections while many reads wait for locked tables. */
async function connectionsUnderLoad(maxConnections: number): Promise<number> {
  const base = await database();
  const scheduler = await create(configOf(base, { maxConnections }));
  const { createConnection } = await import('mysql2/promise');
  const blocker = await createConnection({ uri: base.url });
  await blocker.query('LOCK TABLES QRTZ_JOB_DETAILS WRITE');
  const reads = Array.from({ length: 30 }, (_, index) => scheduler.getJobDetail(`job ${index}`));
  const waiting = `SELECT COUNT(*) AS count FROM information_schema.processlist WHERE DB = '${base.name}' AND STATE LIKE 'Waiting for table%'`;
  let count = -1;
  for (let before = -2; count <= 0 || count !== before; ) {
    before = count;
    for (let look = 0; look < 20; look++) await base.query('SELECT 1'); // as many turns for connections to be made
    [{ count }] = (await base.query<{ count: number }>(waiting)) as [{ count: number }];
  }
  await blocker.end();
  await Promise.all(reads);
  return Number(count);
}

afterEach(closeAll);
afterAll(deleteFolders);

describeOnOneServer('database settings of the configuration', () => {
  it('dataSource.<name>.user sets the login name', async () => {
    proves('configuration', 'dataSource.<name>.user');
    const base = await database();
    expect(await codeOf(() => create(configOf(base)))).toBe('no error');
    expect(await codeOf(() => create(configOf(base, { user: 'nobody-of-that-name' })))).toBe('STORE_FAILURE');
  });

  it('dataSource.<name>.passwordFile reads the password for each new connection from a file', async () => {
    proves('configuration', 'dataSource.<name>.passwordFile');
    const base = await database();
    const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-password-'));
    const passwordFile = join(folder, 'password');
    const created = () => codeOf(() => create(fileConfigOf(base, passwordFile)));
    await base.query(`CREATE USER 'rotated'@'%' IDENTIFIED BY 'first'`);
    await base.query(`GRANT ALL ON ${base.name}.* TO 'rotated'@'%'`);
    try {
      expect(await created()).toBe('STORE_FAILURE');
      writeFileSync(passwordFile, 'first\n');
      expect(await created()).toBe('no error');
      await base.query(`ALTER USER 'rotated'@'%' IDENTIFIED BY 'second'`);
      expect(await created()).toBe('STORE_FAILURE');
      writeFileSync(passwordFile, 'second');
      expect(await created()).toBe('no error');
    } finally {
      await base.query(`DROP USER 'rotated'@'%'`);
      rmSync(folder, { recursive: true });
    }
  });

  it('jobStore.writers decides whether each change of the schedule also updates a row of its lock', async () => {
    proves('configuration', 'jobStore.writers');
    const base = await database();
    const changesOfLock = async (writers: 'one' | 'several') => {
      const config = configOf(base);
      const scheduler = { ...config.scheduler, instanceName: `writers ${writers}` };
      const created = await create({
        ...config,
        scheduler,
        jobStore: { ...config.jobStore, writers },
      } as Configuration);
      for (const name of ['a', 'b']) await created.schedule(name, { every: '1h' }, async () => undefined);
      const [row] = await base.query<{ value: string }>(
        `SELECT META_VALUE AS value FROM QRTZ_X_META WHERE SCHED_NAME = 'writers ${writers}' AND META_KEY = 'lock.TRIGGER_ACCESS'`,
      );
      return Number(row?.value ?? 0);
    };
    expect(await changesOfLock('one')).toBe(0);
    expect(await changesOfLock('several')).toBeGreaterThanOrEqual(2);
  });

  it('a URL with several hosts uses the first one that answers and accepts writes', async () => {
    const base = await database();
    const { dataSource, ...config } = configOf(base) as {
      readonly dataSource: { readonly d: { readonly URL: string } };
    };
    const several = dataSource.d.URL.replace('mysql://', 'mysql://127.0.0.1:1,');
    const login = { ...dataSource.d, URL: several };
    expect(await codeOf(() => create({ ...config, dataSource: { d: login } } as Configuration))).toBe('no error');
  });

  it('dataSource.<name>.password sets the password', async () => {
    proves('configuration', 'dataSource.<name>.password');
    const base = await database();
    const account = `'reference'@'%' IDENTIFIED BY 'right'`;
    await base.query(`CREATE USER ${account}`);
    await base.query(`GRANT ALL ON ${base.name}.* TO 'reference'@'%'`);
    const created = (password: string) => codeOf(() => create(configOf(base, { user: 'reference', password })));
    try {
      expect([await created('right'), await created('wrong')]).toEqual(['no error', 'STORE_FAILURE']);
    } finally {
      await base.query(`DROP USER 'reference'@'%'`);
    }
  });

  it('dataSource.<name>.maxConnections limits the connections', async () => {
    proves('configuration', 'dataSource.<name>.maxConnections');
    // One connection fires, one completes, one checks in, and two serve rings. The others read.
    expect(await connectionsUnderLoad(6)).toBe(1);
    expect(await connectionsUnderLoad(10)).toBe(5);
  });
});
