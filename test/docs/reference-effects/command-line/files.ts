import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashToken, isPassword, isToken, newToken } from '../../../../src/base/secret-hash';
import { createDatabase, sharedServer } from '../../../support/database/test-database';
import { needsServer, type Proof, type Proofs } from '../support/proof';
import { changeIn, tablesIn } from '../support/sqlite-file';
import { inFile, newFile, newFolder, noop, open } from '../support/world';
import { command, commandIn } from './command';

/** A configuration of a SQLite store, written to a file. */
function configOf(database: string): string {
  const file = newFile('quartz.yaml');
  writeFileSync(file, JSON.stringify({ jobStore: { class: 'sqlite', path: database, tablePrefix: 'APP_' } }));
  return file;
}

const PLANNED = 'jobs: [{ name: report, triggers: [{ simple: { interval: PT1H } }] }]';

/** A schedule file, and the configuration of a database with empty tables. */
async function planned() {
  const [config, file] = [configOf(newFile()), newFile('schedule.yaml')];
  await command(['migrate', '--apply', '--config', config]);
  writeFileSync(file, PLANNED);
  return { config, file };
}

/** A database with a job whose data nobody can read, and the configuration for it. */
async function unreadable(): Promise<string> {
  const path = newFile();
  const world = await open(inFile({ path, tablePrefix: 'APP_' }), { jobs: { report: noop } });
  await world.soon(world.scheduler.schedule('report', { every: 60_000 }));
  await world.soon(world.scheduler.shutdown());
  await changeIn(path, "UPDATE APP_JOB_DETAILS SET JOB_DATA = X'ACED0005FF'");
  return configOf(path);
}

const givenOn = (input: string) => ({ env: {}, folder: '/', readStandardInput: async () => input });

/** With the right value, tables are made on a server; with another one it does not let us in. */
const loginProof = (variable: string): Proof =>
  needsServer(async () => {
    const base = await createDatabase(await sharedServer());
    await base.query(`CREATE USER 'command'@'%' IDENTIFIED BY 'right'`);
    try {
      await base.query(`GRANT ALL ON ${base.name}.* TO 'command'@'%'`);
      const { host, pathname } = new URL(base.url);
      const env = { QUARTZ_DB_USER: 'command', QUARTZ_DB_PASSWORD: 'right' };
      const migrate = (changed: object) =>
        command(['migrate', '--apply', '--url', `mysql://${host}${pathname}`], { ...env, ...changed });
      expect((await migrate({ [variable]: 'wrong' })).code).toBe(7);
      expect((await migrate({})).code).toBe(0);
    } finally {
      await base.query(`DROP USER 'command'@'%'`);
      await base.drop();
    }
  });

/** The commands about files and tables. */
export const fileProofs: Proofs = {
  async 'console token'() {
    const made = async () =>
      /^token {2}(\w+)\nhash {3}(sha256:\w+)\n$/.exec((await command(['console', 'token'])).stdout) ?? [];
    const [[, token = '', hash], [, other]] = [await made(), await made()];
    expect([isToken(token, hash ?? ''), token === other]).toEqual([true, false]);
  },

  async 'console token --stdin'() {
    const token = newToken();
    const hashOf = (given: string) => commandIn(givenOn(given), ['console', 'token', '--stdin']);
    expect(await hashOf(`${token}\n`)).toEqual({ code: 0, stdout: `${hashToken(token)}\n`, stderr: '' });
    const { code, stderr } = await hashOf('too-short-a-token');
    expect([code, stderr.includes('too-short')]).toEqual([2, false]);
  },

  async 'console token --json'() {
    const { token, hash } = JSON.parse((await command(['console', 'token', '--json'])).stdout);
    expect(isToken(token, hash)).toBe(true);
  },

  async 'console password'() {
    const hashOf = (given: string) => commandIn(givenOn(given), ['console', 'password']);
    const { code, stdout } = await hashOf('correct horse\n');
    expect([code, await isPassword('correct horse', stdout.trim())]).toEqual([0, true]);
    expect((await hashOf('')).code).toBe(2);
    const person = { ask: async () => '', askSecret: async () => 'typed', edit: async () => 0 };
    const typed = await commandIn({ env: {}, folder: '/', person }, ['console', 'password']);
    expect(await isPassword('typed', typed.stdout.trim())).toBe(true);
  },

  async 'console password --json'() {
    const { stdout } = await commandIn(givenOn('correct horse'), ['console', 'password', '--json']);
    expect(await isPassword('correct horse', JSON.parse(stdout).hash)).toBe(true);
  },

  async validate() {
    const [good, bad] = [newFile('a.yaml'), newFile('b.yaml')];
    writeFileSync(good, 'threadPool.threadCount: 3');
    writeFileSync(bad, 'threadPool.threadCuont: 3');
    expect(await command(['validate', good])).toMatchObject({ code: 0, stdout: `valid: ${good} (configuration)\n` });
    const { code, stdout } = await command(['validate', good, bad]);
    expect([code, stdout]).toEqual([3, expect.stringMatching(/b\.yaml:1:1 threadPool\.threadCuont: .*did you mean/)]);
    for (const [url, exitCode] of [
      ['http://alerts.example.com/x', 3],
      ['https://127.0.0.1/x', 3],
      ['https://alerts.example.com/x', 0],
    ] as const) {
      const file = newFile('webhook.yaml');
      writeFileSync(file, `plugin: { alerts: { class: webhookAlerts, url: '${url}' } }`);
      expect((await command(['validate', file])).code).toBe(exitCode);
    }
  },

  async 'validate --stored'() {
    const config = await unreadable();
    expect((await command(['validate', config])).code).toBe(0);
    const { code, stdout } = await command(['validate', config, '--stored']);
    expect([code, stdout]).toEqual([3, expect.stringContaining('the stored job DEFAULT/report cannot be read here')]);
  },

  async 'validate --json'() {
    const file = await unreadable();
    const { stdout } = await command(['validate', file, '--json', '--stored']);
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      files: [
        {
          file,
          kind: 'configuration',
          valid: false,
          problems: [],
          warnings: [],
          unreadable: expect.arrayContaining([
            expect.objectContaining({ what: 'job', group: 'DEFAULT', name: 'report', cause: expect.any(String) }),
          ]),
        },
      ],
    });
  },

  async 'schedule plan'() {
    const { config, file } = await planned();
    const { code, stdout } = await command(['schedule', 'plan', file, '--config', config]);
    expect([code, stdout]).toEqual([8, expect.stringMatching(/create {2}trigger {2}DEFAULT\/report/)]);
    writeFileSync(file, '');
    expect(await command(['schedule', 'plan', file, '--config', config])).toMatchObject({
      code: 0,
      stdout: 'Nothing would change.\n',
    });
    expect((await command(['schedule', 'plan', file])).code).toBe(2); // neither --config nor --url
  },

  async 'schedule plan --config'() {
    const { config, file } = await planned();
    expect((await command(['schedule', 'plan', file, '--config', configOf(newFile('none.db'))])).code).toBe(7);
    expect((await command(['schedule', 'plan', file, '--config', config])).code).toBe(8);
  },

  async 'exit code 8'() {
    const { config, file } = await planned();
    expect((await command(['schedule', 'plan', file, '--config', config])).code).toBe(8);
  },

  async 'schedule plan --url'() {
    const file = newFile('schedule.yaml');
    writeFileSync(file, PLANNED);
    const url = `sqlite:${newFile()}`;
    await command(['migrate', '--apply', '--url', url]);
    expect(await command(['schedule', 'plan', file, '--url', url])).toMatchObject({ code: 8, stderr: '' });
  },

  async 'schedule plan --json'() {
    const { config, file } = await planned();
    const { stdout } = await command(['schedule', 'plan', file, '--config', config, '--json']);
    const created = { action: 'create', group: 'DEFAULT', name: 'report', fields: [], startsPaused: false };
    const changes = [
      { ...created, what: 'job' },
      { ...created, what: 'trigger' },
    ];
    expect(JSON.parse(stdout)).toEqual({ changed: true, changes, undeclared: [], orphaned: [] });
  },

  async migrate() {
    const file = newFile();
    expect((await command(['migrate', '--apply', '--url', `sqlite:${file}`])).code).toBe(0);
    expect(tablesIn(file)).toContain('QRTZ_TRIGGERS');
    expect((await command(['migrate', '--url', `sqlite:${file}`])).code).toBe(2); // neither --print nor --apply
  },

  async 'migrate --config'() {
    const file = newFile();
    await command(['migrate', '--apply', '--config', configOf(file)]);
    expect(tablesIn(file)).toContain('APP_TRIGGERS');
  },

  async 'migrate --url'() {
    const [one, two] = [join(newFolder(), 'one.db'), join(newFolder(), 'two.db')];
    await command(['migrate', '--apply', '--url', `sqlite:${two}`]);
    expect([existsSync(one), existsSync(two)]).toEqual([false, true]);
  },

  async 'migrate --print'() {
    const file = newFile();
    const { code, stdout } = await command(['migrate', '--print', '--url', `sqlite:${file}`]);
    expect([code, existsSync(file)]).toEqual([0, false]);
    expect(stdout).toContain('CREATE TABLE IF NOT EXISTS QRTZ_TRIGGERS');
  },

  async 'migrate --apply'() {
    const file = newFile();
    const { stdout } = await command(['migrate', '--apply', '--url', `sqlite:${file}`]);
    expect(stdout).toContain('applied');
    expect((await command(['migrate', '--print', '--url', `sqlite:${file}`])).stdout).toBe('');
  },

  async 'migrate --json'() {
    const url = `sqlite:${newFile()}`;
    const printed = JSON.parse((await command(['migrate', '--print', '--url', url, '--json'])).stdout);
    expect(printed).toEqual({ statements: expect.arrayContaining([expect.any(String)]), problems: [] });
    const applied = JSON.parse((await command(['migrate', '--apply', '--url', url, '--json'])).stdout);
    expect(applied).toEqual({ applied: expect.arrayContaining(['0001_initial']), warnings: [] });
  },

  QUARTZ_DB_USER: loginProof('QUARTZ_DB_USER'),
  QUARTZ_DB_PASSWORD: loginProof('QUARTZ_DB_PASSWORD'),
};
