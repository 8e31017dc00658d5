import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program';
import {
  createDatabase,
  describeOnOneServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { memoryOutput } from '../support/memory-output';
import { proves } from '../support/proves';

/** Names of all migrations, which an empty database lacks. */
const MIGRATIONS = readdirSync(join(__dirname, '../../sql/sqlite/migrations'))
  .sort()
  .map((file) => file.replace('.sql', ''));

/** Number of tables after all migrations. */
const TABLES = MIGRATIONS.flatMap((name) =>
  readFileSync(join(__dirname, `../../sql/mysql/migrations/${name}.sql`), 'utf8').match(/^CREATE TABLE/gm),
).filter((found) => found !== null).length;

async function migrate(args: readonly string[], env: Readonly<Record<string, string>> = {}, folder = '/') {
  const { output, stdout, stderr } = memoryOutput();
  const code = await runProgram(['migrate', ...args], { output, env, folder });
  return { code, stdout: stdout(), stderr: stderr() };
}

describe('migrate', () => {
  let folder: string;
  let url: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-migrate-'));
    url = `sqlite:${join(folder, 'quartz.db')}`;
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('--print shows the statements and changes nothing; --apply runs them once', async () => {
    proves('command-line', 'migrate', 'migrate --print', 'migrate --apply', 'migrate --url');
    const printed = await migrate(['--print', '--url', url]);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(folder)).toEqual([]);
    expect(printed.stdout).toMatch(/^CREATE TABLE IF NOT EXISTS QRTZ_JOB_DETAILS \([\s\S]*;\n\nCREATE /);
    expect((await migrate(['--print', '--url', url])).stdout).toBe(printed.stdout);

    expect((await migrate(['--apply', '--url', url])).stdout).toBe(
      MIGRATIONS.map((name) => `applied  ${name}\n`).join(''),
    );
    expect((await migrate(['--apply', '--url', url])).stdout).toBe('The tables are up to date.\n');
    expect(await migrate(['--print', '--url', url])).toMatchObject({
      stdout: '',
      stderr: 'The tables are up to date.\n',
    });
  });

  it('--json prints one value', async () => {
    proves('command-line', 'migrate --json');
    const { statements } = JSON.parse((await migrate(['--print', '--json', '--url', url])).stdout);
    expect(statements.length).toBeGreaterThan(11);
    expect(JSON.parse((await migrate(['--apply', '--json', '--url', url])).stdout)).toEqual({
      applied: MIGRATIONS,
      warnings: [],
    });
  });

  it.each([
    [[], 'warning: Other users of this machine can read command lines. Put the password into QUARTZ_DB_PASSWORD.\n'],
    [
      ['--json'],
      `{"note":"Other users of this machine can read command lines. Put the password into QUARTZ_DB_PASSWORD."}\n`,
    ],
  ])('warns of a password on the command line, and does not print it (options %j)', async (options, warning) => {
    for (const login of ['//me:s3cret@127.0.0.1:1/q', '//127.0.0.1:1/q?user=me&password=s3cret']) {
      const { stderr } = await migrate(['--print', ...options, '--url', `mysql:${login}`]);
      expect(stderr).toMatch(new RegExp(`^${warning.replace(/[{}.]/g, '\\$&')}`));
      expect(stderr).not.toContain('s3cret');
    }
  });

  it('takes the store and its table prefix from a configuration', async () => {
    proves('command-line', 'migrate --config');
    const config = join(folder, 'quartz.yaml');
    writeFileSync(config, `jobStore: {class: sqlite, path: ${join(folder, 'own.db')}, tablePrefix: APP_}`);
    const { stdout } = await migrate(['--print', '--config', config]);
    expect(stdout).toMatch(/^CREATE TABLE IF NOT EXISTS APP_JOB_DETAILS/);
    expect((await migrate(['--print'], {}, folder)).stdout).toBe(stdout); // the configuration of the folder
  });

  it.each([
    ['no database', ['--apply'], 2, /expected --config <file> or --url <url>.*quartz.yaml in this folder/],
    ['both databases', ['--apply', '--config', 'x.yaml', '--url', 'sqlite:x'], 2, /found both/],
    ['neither --print nor --apply', ['--url', 'sqlite:x'], 2, /expected --print or --apply/],
    ['both --print and --apply', ['--print', '--apply', '--url', 'sqlite:x'], 2, /cannot be used with/],
    [
      'a URL of an unsupported database',
      ['--apply', '--url', 'oracle:x'],
      3,
      /expected mysql:\/\/host.*found 'oracle:x'/,
    ],
    [
      'a missing folder',
      ['--apply', '--url', 'sqlite:/nowhere/at/all.db'],
      3,
      /expected a file in an existing folder, found the missing folder \/nowhere\/at/,
    ],
    ['an unreachable server', ['--apply', '--url', 'mysql://127.0.0.1:1/q'], 7, /ECONNREFUSED/],
  ])('refuses %s', async (_, args, code, message) => {
    const answer = await migrate(args);
    expect(answer.stderr).toMatch(message);
    expect(answer).toMatchObject({ code, stdout: '' });
  });

  it('refuses a configuration with the memory store', async () => {
    const config = join(folder, 'quartz.yaml');
    writeFileSync(config, 'threadPool.threadCount: 3');
    expect(await migrate(['--apply', '--config', config])).toMatchObject({ code: 3, stderr: /found memory/ });
  });
});

describeOnOneServer('migrate on a server', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
  });

  afterAll(() => database.drop());

  it('logs in with credentials of the environment, and applies migrations once although two nodes start together', async () => {
    proves('command-line', 'QUARTZ_DB_USER', 'QUARTZ_DB_PASSWORD');
    const url = new URL(database.url);
    const env = { QUARTZ_DB_USER: url.username, QUARTZ_DB_PASSWORD: decodeURIComponent(url.password) };
    const args = ['--apply', '--json', '--url', `mysql://${url.host}${url.pathname}`];
    for (const variable of Object.keys(env))
      expect((await migrate(args, { ...env, [variable]: 'wrong' })).code).toBe(7);
    const answers = await Promise.all([migrate(args, env), migrate(args, env)]);
    const applied = answers.flatMap(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied);
    expect(applied).toEqual(MIGRATIONS);
    expect(await database.query("SHOW TABLES LIKE 'QRTZ\\_%'")).toHaveLength(TABLES);
  });
});
