import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { runProgram } from '../../src/cli/program';
import {
  type Configuration,
  createScheduler,
  newJob,
  newTrigger,
  type SchedulerEvent,
  simpleSchedule,
} from '../../src/index';
import { startCli } from '../support/cli-process';
import { describeOnOneServer, sharedServer } from '../support/database/test-database';
import { freshDist } from '../support/fresh-dist';
import { memoryOutput } from '../support/memory-output';

/** The secret in every input; it must not be in any output. */
const SECRET = 'm4rk3d-s3cr3t';
/** Parts of the secret, because a wrong split may leave only one of them. */
const LEAK = /m4rk3d|s3cr3t/i;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartz-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function command(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { output, stdout, stderr } = memoryOutput();
  await runProgram(args, { output, env, folder });
  return stdout() + stderr();
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const LOGINS = [
  `mysql://app:${SECRET}@127.0.0.1:1/q`,
  `mysql://app:${SECRET}@@127.0.0.1:1/q`,
  `mysql://app:x/${SECRET}@127.0.0.1:1/q`,
  `mysql://app:x@${SECRET}@127.0.0.1:1`,
  `mysql:app:${SECRET}@db/q`,
  `jdbc:mysql:app:${SECRET}@db/q`,
  `app:${SECRET}@db/q`,
  `postgres://app:${SECRET}@db/q`,
  `mysql://127.0.0.1:1/q?user=app&password=${SECRET}`,
  `mysql://127.0.0.1:1?password=${SECRET}`,
  `jdbc:mysql://127.0.0.1:1/q?user=app&password=${SECRET}&sslMode=WRONG`,
  `mysql://app:${SECRET}@one,two/q`,
];

describe('a secret in the URL of a database', () => {
  it.each(LOGINS)('is printed by no command: %s', async (url) => {
    for (const json of [[], ['--json']]) {
      for (const how of ['--print', '--apply']) {
        const text = await command(['migrate', how, '--url', url, ...json]);
        expect(text).not.toBe('');
        expect(text).not.toMatch(LEAK);
      }
      const config = file(
        'quartz.yaml',
        `jobStore: { class: sql, dataSource: d }\ndataSource: { d: { URL: "${url}" } }`,
      );
      expect(await command(['validate', config, ...json])).not.toMatch(LEAK);
      expect(await command(['migrate', '--print', '--config', config, ...json])).not.toMatch(LEAK);
    }
    expect(await command([`--ulr=${url}`])).not.toMatch(LEAK);
    expect(await command(['migrate', '--print', url])).not.toMatch(LEAK);
  });
});

const MISPLACED: readonly (readonly [where: string, yaml: string])[] = [
  ['a password of the wrong type', `dataSource: { d: { URL: sqlite:x, password: [${SECRET}] } }`],
  ['a map as password', `dataSource: { d: { URL: sqlite:x, password: { a: ${SECRET} } } }`],
  ['a misspelt secret key', `dataSource: { d: { URL: sqlite:x, pasword: ${SECRET} } }`],
  ['a password behind a tag', `dataSource: { d: { URL: sqlite:x, password: !x ${SECRET} } }`],
  ['an open quote', `dataSource:\n  d:\n    password: "${SECRET}\n    URL: sqlite:x`],
  ['a quote in the middle', `dataSource:\n  d:\n    password: 'x' ${SECRET}`],
  ['an alias', `dataSource:\n  d:\n    password: *${SECRET}`],
  ['a tab', `dataSource:\n  d:\n\tpassword: ${SECRET}`],
  ['two values on a line', `dataSource:\n  d:\n    password: a: ${SECRET}`],
  ['a URL as a key', `"mysql://app:${SECRET}@db/q": 1`],
  ['a login as the name of a data source', `jobStore: { class: sql, dataSource: "app:${SECRET}@db" }`],
  ['a login as a reference', `jobStore: { class: sql, dataSource: "$@app:${SECRET}@db" }`],
  ['a value from the environment', `scheduler: { idleWaitTime: "\${DB_PASSWORD}" }`],
  ['a default of the environment', `scheduler: { idleWaitTime: "\${DB_PASSWORD:-${SECRET}}" }`],
  ['a URL where a number belongs', `threadPool: { threadCount: "mysql://app:${SECRET}@db/q" }`],
  ['a secret of the context', `context: { key: { apiKey: [${SECRET}] } }`],
  ['a secret of the context given twice', `context:\n  key:\n    apiKey: ${SECRET}\n    apiKey: ${SECRET}`],
  ['job data', `jobs: [{ name: a, type: b, durable: 5, data: { password: ${SECRET}, list: !x ${SECRET} } }]`],
  ['data of a trigger', `jobs: [{ name: a, type: b, triggers: [{ cron: x, data: { apiKey: ${SECRET} } }] }]`],
  ['data that is not a map', `jobs: [{ name: a, durable: true, data: { token: { deep: [${SECRET}] } } }, { data: 5 }]`],
];

describe('a secret in a file', () => {
  it.each(MISPLACED)('is not quoted: %s', async (_, yaml) => {
    const env = { DB_PASSWORD: SECRET };
    for (const name of ['quartz.yaml', 'quartz.json']) {
      const path = file(name, yaml);
      for (const json of [[], ['--json']]) expect(await command(['validate', path, ...json], env)).not.toMatch(LEAK);
      expect(await command(['migrate', '--print', '--config', path], env)).not.toMatch(LEAK);
    }
  });

  it.each([
    `org.quartz.dataSource.d.password = ${SECRET}\norg.quartz.threadPool.threadCount = many`,
    `org.quartz.dataSource.d.password = \\u00zz${SECRET}`,
    `org.quartz.dataSource.d.pasword = ${SECRET}`,
  ])('is not quoted from a properties file: %j', async (text) => {
    expect(await command(['validate', file('quartz.properties', text)])).not.toMatch(LEAK);
  });
});

describe('a secret while the scheduler runs', () => {
  beforeAll(() => void freshDist());

  it('is not printed by run as text, as JSON or in its log, from job data, context or environment', async () => {
    file(
      'jobs.mjs',
      'export const jobs = { report: async () => {}, broken: async () => { throw new Error("no paper"); } };',
    );
    file(
      'schedule.yaml',
      `jobs:
  - { name: report, type: report, data: { password: ${SECRET} }, triggers: [{ simple: { interval: 50, repeatCount: 3 }, data: { apiKey: ${SECRET} } }] }
  - { name: broken, type: broken, data: { nested: { token: ${SECRET} } }, triggers: [{ simple: { interval: 50, repeatCount: 3 } }] }`,
    );
    const config = `scheduler: { logLevel: debug }
jobStore: { class: sqlite, path: ${JSON.stringify(join(folder, 'quartz.db'))} }
context: { key: { apiKey: "\${API_KEY}" } }
plugin:
  files: { class: scheduleFile, fileNames: schedule.yaml }
  jobs: { class: loggingJobHistory }
  triggers: { class: loggingTriggerHistory }`;
    file('quartz.yaml', config);
    for (const options of [['--log'], ['--log', '--json']]) {
      const args = ['run', '--config', 'quartz.yaml', '--jobs', './jobs.mjs', '--for', '1s', ...options];
      const { code, stdout, stderr } = await startCli(args, folder, { API_KEY: SECRET }).ended;
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('report');
      expect(stdout + stderr).not.toMatch(LEAK);
      rmSync(join(folder, 'quartz.db'), { force: true });
    }
  });

  it('is in no log line and in no error of an event, at any level', async () => {
    const written: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void written.push(line) });
    const errors: unknown[] = [];
    const jobs = {
      report: async () => {},
      persistent: () => ({ password: SECRET, big: 1n }) as never,
    };
    const scheduler = await createScheduler({}, { jobs, logger });
    const ended = new Promise<void>((resolve) => {
      let completions = 0;
      scheduler.subscribe((event: SchedulerEvent) => {
        if ('error' in event && event.error !== null) errors.push(event.error);
        if (event.type === 'triggerCompleted' && ++completions === 2) resolve();
      });
    });
    const once = () => newTrigger().withSchedule(simpleSchedule()).usingJobData({ token: SECRET });
    await scheduler.scheduleJob(newJob('report').usingJobData({ password: SECRET }).build(), once().build());
    await scheduler.scheduleJob(
      newJob('persistent').withIdentity('p').persistJobDataAfterExecution().usingJobData({ password: SECRET }).build(),
      once().withIdentity('p').build(),
    );
    for (const data of [
      { password: 1n },
      { key: () => SECRET },
      { key: Symbol(SECRET) },
      { a: [SECRET, new Map()] },
      [SECRET],
    ]) {
      try {
        newJob('report').usingJobData(data as never);
      } catch (error) {
        errors.push(error);
      }
    }
    expect(errors.length).toBe(5);
    await scheduler.start();
    await ended;
    await scheduler.shutdown({ waitForJobs: true });
    expect(written.length).toBeGreaterThan(5);
    expect(written.join('')).not.toMatch(LEAK);
    expect(inspect(errors, { depth: 10 })).not.toMatch(LEAK);
  });
});

describeOnOneServer('a password that the database rejects', () => {
  it('is not printed by migrate, and is not in the error of createScheduler', async () => {
    const server = await sharedServer();
    const url = new URL(server.url);
    url.username = 'nobody-of-that-name';
    url.password = SECRET;
    url.pathname = '/q';
    for (const json of [[], ['--json']]) {
      const text = await command(['migrate', '--print', '--url', url.href, ...json]);
      expect(text).toMatch(/access denied|1045|1698/i);
      expect(text).not.toMatch(LEAK);
    }
    const config: Configuration = {
      jobStore: { class: 'mysql', dataSource: 'd' },
      dataSource: { d: { URL: url.href } },
    };
    const error = await createScheduler(config).catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: 10 })).not.toMatch(LEAK);
  });
});
