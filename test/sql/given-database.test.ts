import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from 'mysql2';
import { createPool as createPromisePool } from 'mysql2/promise';
import type { CreateSchedulerOptions, Logger } from '../../src';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { freshDist } from '../support/fresh-dist';

/** The built package, because the thread of its store is a file of dist/. */
const { createScheduler } = require(join(freshDist(), 'index.js')) as typeof import('../../src');

let runs = 0;

/** Creates a scheduler, runs one new job in it, and returns the name of its store. */
async function runOnce(config: Parameters<typeof createScheduler>[0], options: CreateSchedulerOptions = {}) {
  const scheduler = await createScheduler(config, options);
  try {
    const name = `hello-${++runs}`;
    const ran = new Promise<void>((resolve) => scheduler.registerJob(name, () => resolve()));
    await scheduler.schedule(name, { every: 60_000 });
    await scheduler.start();
    await ran;
    return scheduler.getMetaData().jobStore.name;
  } finally {
    await scheduler.shutdown();
  }
}

it('the path of a file opens a SQLite store, also when the file exists', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-short-'));
  try {
    for (let time = 0; time < 2; time++) expect(await runOnce({ database: join(folder, 'quartz.db') })).toBe('sqlite');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describeOnAnyServer('the database option of createScheduler', () => {
  const SECRET = 'marked-secret-7d1';
  let database: TestDatabase;
  const lines: unknown[] = [];
  const log = (...args: unknown[]) => void lines.push(args);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };

  /** Address of the database, with a user whose password only this test knows. */
  function way() {
    const { hostname: host, port, pathname } = new URL(database.url);
    return { host, port: Number(port), database: pathname.slice(1), user: database.name, password: SECRET };
  }

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    await database.query(`CREATE USER '${database.name}'@'%' IDENTIFIED BY '${SECRET}'`);
    await database.query(`GRANT ALL ON ${database.name}.* TO '${database.name}'@'%'`);
  });
  afterEach(() => {
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    lines.length = 0;
  });
  afterAll(async () => {
    await database.query(`DROP USER '${database.name}'@'%'`);
    await database.drop();
  });

  const urlOf = (login: string) => {
    const { host, port, database: name } = way();
    return `mysql://${login}@${host}:${port}/${name}`;
  };

  it('accepts a URL, and creates the tables', async () => {
    expect(await runOnce({ database: urlOf(`${way().user}:${SECRET}`) })).toMatch(/mariadb|mysql/);
  });

  it.each([
    ['callbacks', createPool],
    ['promises', createPromisePool],
  ] as const)('accepts a mysql2 pool with %s', async (_, create) => {
    const pool = create({ ...way(), rowsAsArray: true });
    try {
      expect(await runOnce({}, { pool, logger })).toMatch(/mariadb|mysql/);
    } finally {
      await pool.end();
    }
  });

  it('accepts a pool for a quartz.properties file that uses the database of Spring', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-spring-'));
    const file = join(folder, 'quartz.properties');
    const store = 'org.quartz.jobStore.class = org.springframework.scheduling.quartz.LocalDataSourceJobStore';
    writeFileSync(file, `${store} \norg.quartz.scheduler.instanceName = Spring \n`);
    const pool = createPool(way());
    try {
      expect(await runOnce(file, { pool, logger })).toMatch(/mariadb|mysql/);
    } finally {
      await pool.end();
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    true,
    false,
  ])('requests the password from a callback for each connection; store thread: %s', async (storeThread) => {
    let asked = 0;
    const password = async () => {
      asked++;
      return SECRET;
    };
    const config = { database: urlOf(`${way().user}:expired`), 'jobStore.storeThread': storeThread };
    expect(await runOnce(config, { password, logger })).toMatch(/mariadb|mysql/);
    expect(asked).toBeGreaterThan(2);
  });

  it('reports why a password callback failed, but never the password', async () => {
    const config = { database: urlOf(way().user) };
    const failing = createScheduler(config, { password: () => Promise.reject(new Error('no token today')) });
    await expect(failing).rejects.toThrow(/the password callback failed: no token today/);
    const wrong = createScheduler(config, { password: async () => 'not-the-password' });
    await expect(wrong).rejects.toMatchObject({ message: expect.not.stringContaining('not-the-password') });
    await expect(createScheduler({}, { pool: {} as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(createScheduler({}, { password: 'x' as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});
