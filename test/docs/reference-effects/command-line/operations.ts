import { writeFileSync } from 'node:fs';
import type { Authenticator } from '../../../../src/console/authenticator';
import { newJob } from '../../../../src/index';
import { closeAll, serve, testConsole, testScheduler } from '../../../console/support';
import { once, type Proofs } from '../support/proof';
import { changeIn } from '../support/sqlite-file';
import { inFile, newFile, noop, open } from '../support/world';
import { command, commandIn } from './command';

/** A database with empty tables. */
async function tables(): Promise<string> {
  const url = `sqlite:${newFile()}`;
  await command(['migrate', '--apply', '--url', url]);
  return url;
}

/** What a command says to a server that lets in whom `auth` lets in. */
async function asked(auth: Authenticator, ask: (url: string) => ReturnType<typeof command>) {
  try {
    const { url } = await serve(testConsole(await testScheduler(), { auth }).listener);
    return await ask(url);
  } finally {
    await closeAll();
  }
}

/** Knows one token. */
const oneToken: Authenticator = {
  authenticate: async ({ headers }) =>
    headers.get('authorization') === 'Bearer right' ? { name: 'ops', role: 'viewer', via: 'http', from: null } : null,
};

/** Plans a file with a job on a server that knows one token. */
async function planOnServer(options: readonly string[], environment: Readonly<Record<string, string>>) {
  const file = newFile('schedule.yaml');
  writeFileSync(file, 'jobs: [{ name: noop, triggers: [{ simple: { interval: PT1H } }] }]');
  return asked(oneToken, (url) => command(['schedule', 'plan', file, '--server', url, ...options], environment));
}

/** A file with the jobs `one`, `two` and `three` of the scheduler `Stored`, and a configuration that names it. */
const stored = once(async () => {
  const [path, config] = [newFile(), newFile('quartz.yaml')];
  const world = await open({ ...inFile({ path }), scheduler: { instanceName: 'Stored' } } as never, {
    jobs: { work: noop },
  });
  for (const name of ['one', 'two', 'three'])
    await world.soon(world.scheduler.addJob(newJob('work').withIdentity(name).storeDurably().build()));
  await world.soon(world.scheduler.shutdown());
  writeFileSync(config, JSON.stringify({ scheduler: { instanceName: 'Stored' }, jobStore: { class: 'sqlite', path } }));
  return { path, config };
});

const namesIn = ({ stdout }: { readonly stdout: string }) =>
  [...stdout.matchAll(/DEFAULT\/(\w+)/g)].map(([, name]) => name);

/** Commands made from the table of operations. */
export const operationProofs: Proofs = {
  async 'Operations --config'() {
    expect(namesIn(await command(['jobs', '--config', (await stored()).config]))).toEqual(['one', 'three', 'two']);
    const memory = newFile('memory.yaml');
    writeFileSync(memory, 'threadPool.threadCount: 3');
    expect(await command(['jobs', '--config', memory])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('--server'),
    });
  },

  async 'Operations --url'() {
    const jobs = await command(['jobs', '--url', `sqlite:${(await stored()).path}`, '--scheduler', 'Stored']);
    expect(namesIn(jobs)).toHaveLength(3);
  },

  async 'Operations --scheduler'() {
    const url = `sqlite:${(await stored()).path}`;
    expect(await command(['jobs', '--url', url])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('(nothing)'),
    });
    expect(namesIn(await command(['jobs', '--url', url, '--scheduler', 'Stored']))).toHaveLength(3);
  },

  async 'Operations --server'() {
    const show = (url: string) => command(['scheduler', 'show', '--server', url, '--json'], { QUARTZ_TOKEN: 'right' });
    const { stdout } = await asked(oneToken, show);
    expect(JSON.parse(stdout)).toMatchObject({ schedulerName: 'Reports', jobStore: { persistent: false } });
    const both = await command(['jobs', '--server', 'http://127.0.0.1:1', '--config', 'quartz.yaml']);
    expect(both.code).toBe(2);
  },

  async 'Operations --token-file'() {
    const [right, wrong] = [newFile('right'), newFile('wrong')];
    writeFileSync(right, 'right\n');
    writeFileSync(wrong, 'wrong\n');
    const nodes = (file: string) =>
      asked(oneToken, (url) => command(['nodes', '--server', url, '--token-file', file], { QUARTZ_TOKEN: 'other' }));
    expect([(await nodes(right)).code, (await nodes(wrong)).code]).toEqual([0, 11]);
  },

  async 'schedule plan --server'() {
    const { code, stdout, stderr } = await planOnServer([], { QUARTZ_TOKEN: 'right' });
    expect(stderr).toBe('');
    expect(code).toBe(8);
    expect(stdout).toContain('DEFAULT/noop');
  },

  async 'schedule plan --scheduler'() {
    const token = { QUARTZ_TOKEN: 'right' };
    expect((await planOnServer(['--scheduler', 'Reports'], token)).code).toBe(8);
    expect((await planOnServer(['--scheduler', 'Nobody'], token)).code).toBe(9);
  },

  async 'schedule plan --token-file'() {
    const file = newFile('right');
    writeFileSync(file, 'right\n');
    expect((await planOnServer(['--token-file', file], { QUARTZ_TOKEN: 'other' })).code).toBe(8);
    expect((await planOnServer([], { QUARTZ_TOKEN: 'other' })).code).toBe(11);
  },

  async 'Operations --all'() {
    const { config } = await stored();
    const jobs = (...more: readonly string[]) => command(['jobs', '--config', config, '--limit', '2', ...more]);
    expect(namesIn(await jobs())).toEqual(['one', 'three']);
    expect((await jobs()).stderr).toContain('--all');
    expect(namesIn(await jobs('--all'))).toEqual(['one', 'three', 'two']);
    expect((await jobs('--all', '--json')).stdout.trim().split('\n')).toHaveLength(2);
  },

  async 'Operations --file'() {
    const { config } = await stored();
    const [yaml, json] = [newFile('trigger.yaml'), '{"name":"later","job":"one","cron":"0 0 7 * * ?"}'];
    writeFileSync(yaml, 'name: early\njob: one\ncron: 0 0 6 * * ?\ndata: { to: ops }\n');
    const surroundings = { env: {}, folder: '/', readStandardInput: async () => json };
    const add = (file: string) => commandIn(surroundings, ['triggers', 'add', '--file', file, '--config', config]);
    expect([(await add(yaml)).code, (await add('-')).code]).toEqual([0, 0]);
    const triggers = JSON.parse((await command(['triggers', '--config', config, '--json'])).stdout);
    expect(triggers.items).toMatchObject([{ schedule: '0 0 6 * * ?' }, { schedule: '0 0 7 * * ?' }]);
  },

  async 'Operations --yes'() {
    const discard = ['deadletters', 'discard', '--all', '--config', (await stored()).config, '--json'];
    expect(await command(discard)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await command([...discard, '--yes'])).toMatchObject({ code: 0, stdout: '{"count":0}\n' });
  },

  async 'Operations --json'() {
    const { stdout } = await command(['jobs', 'show', 'one', '--config', (await stored()).config, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ key: { group: 'DEFAULT', name: 'one' }, type: 'work', durable: true });
  },

  async QUARTZ_SERVER() {
    const { code, stdout } = await asked(oneToken, (url) =>
      command(['nodes', '--json'], { QUARTZ_SERVER: url, QUARTZ_TOKEN: 'right' }),
    );
    expect([code, JSON.parse(stdout)]).toEqual([0, { items: expect.any(Array) }]);
    expect((await command(['nodes'])).stderr).toContain('--server <url>');
  },

  async QUARTZ_TOKEN() {
    const nodes = (token: string) =>
      asked(oneToken, (url) => command(['nodes', '--server', url], { QUARTZ_TOKEN: token }));
    expect((await nodes('right')).code).toBe(0);
    expect((await nodes('wrong')).code).toBe(11);
  },

  async 'exit code 9'() {
    expect(await command(['jobs', 'show', 'none', '--url', await tables()])).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('There is no job DEFAULT/none.'),
    });
  },

  async 'exit code 10'() {
    const { config } = await stored();
    const edit = ['jobs', 'edit', 'one', '--description', 'x', '--if-version', 'other', '--config', config];
    expect((await command(edit)).code).toBe(10);
  },

  async 'exit code 11'() {
    const drain = (url: string) => command(['nodes', 'drain', 'x', '--server', url], { QUARTZ_TOKEN: 'right' });
    expect((await asked(oneToken, drain)).code).toBe(11);
    expect(await asked(oneToken, (url) => command(['nodes', '--server', url]))).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('QUARTZ_TOKEN'),
    });
  },

  async 'exit code 12'() {
    const { code, stderr } = await command(['nodes', '--server', 'http://127.0.0.1:1']);
    expect([code, stderr]).toEqual([12, expect.stringContaining('127.0.0.1:1')]);
  },

  async 'exit code 14'() {
    const file = newFile();
    await command(['migrate', '--apply', '--url', `sqlite:${file}`]);
    expect((await command(['doctor', '--url', `sqlite:${file}`])).code).toBe(0);
    await changeIn(file, 'DROP INDEX IDX_QRTZ_T_NFT_ST');
    expect((await command(['doctor', '--url', `sqlite:${file}`])).code).toBe(14);
  },

  async 'exit code 13'() {
    const questions: string[] = [];
    const person = {
      ask: async (question: string) => {
        questions.push(question);
        return 'no';
      },
      askSecret: async () => '',
      edit: async () => 1,
    };
    const url = await tables();
    const surroundings = { env: {}, folder: '/', person };
    const { code, stderr } = await commandIn(surroundings, ['deadletters', 'discard', '--all', '--url', url]);
    expect([code, stderr]).toEqual([13, 'error: Nothing was done.\n']);
    expect(questions).toEqual([expect.stringContaining('Go on? [y/N]')]);
  },
};
