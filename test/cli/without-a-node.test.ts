import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Output } from '../../src/cli/output';
import { runProgram } from '../../src/cli/program';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { proves } from '../support/proves';
import { DatabaseSync } from '../support/sqlite';

describe('commands on a database, without a node', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-beside-'));
    const file = join(folder, 'quartz.db');
    writeFileSync(
      join(folder, 'quartz.yaml'),
      `scheduler.instanceId: '\${NODE_ID}'\nconsole: { port: 8080, host: 0.0.0.0, tokens: { deploy: 'operator \${TOKEN_HASH}' } }\n` +
        `jobStore: { class: sqlite, path: ${JSON.stringify(file)}, storeThread: false }`,
    );
    writeFileSync(join(folder, 's.yaml'), 'jobs: []');
    const scheduler = await createScheduler(
      { jobStore: { class: 'sqlite', path: file, storeThread: false } },
      { jobs: { hello: async () => {} } },
    );
    await scheduler.schedule('hello', { at: new Date('2999-01-01T00:00:00Z') });
    await scheduler.shutdown();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const beside = () => ['--config', join(folder, 'quartz.yaml')];
  const url = () => `sqlite:${join(folder, 'quartz.db')}`;

  let readStandardInput = async () => '';

  async function quartz(...args: readonly string[]) {
    const written: string[] = [];
    const stream = { write: (text: string) => written.push(text) };
    const colors = { stdout: false, stderr: false };
    const output = new Output({
      stdout: stream,
      stderr: stream,
      colors,
      terminal: { columns: 200, write: stream.write } as never,
    });
    const code = await runProgram(args, { output, env: {}, folder, readStandardInput });
    return { code, text: written.join('') };
  }

  it.each([
    [['jobs', 'list', '--config']],
    [['migrate', '--print', '--config']],
    [['schedule', 'plan', 's.yaml', '--config']],
  ])('%j needs no environment variables that only a node needs', async (args) => {
    const { code, text } = await quartz(
      ...args.map((word) => (word === 's.yaml' ? join(folder, word) : word)),
      join(folder, 'quartz.yaml'),
    );
    expect(text).not.toMatch(/NODE_ID|TOKEN_HASH/);
    expect(code).toBe(0);
  });

  it('a bulk command lists what matches and changes nothing until --yes is given', async () => {
    proves('command-line', 'Operations --config');
    const beside = ['--config', join(folder, 'quartz.yaml')];
    const pause = ['triggers', 'pause-many', '--all', ...beside];
    const paused = () => quartz('triggers', 'list', '--paused', '--json', ...beside);
    const dry = await quartz(...pause);
    expect([dry.code, dry.text]).toEqual([
      0,
      expect.stringMatching(/hello[\s\S]*Dry run: nothing was changed\. Add --yes/),
    ]);
    expect(JSON.parse((await paused()).text).items).toEqual([]);
    const done = await quartz(...pause, '--yes');
    expect([done.code, done.text]).toEqual([0, expect.not.stringContaining('Dry run')]);
    expect(JSON.parse((await paused()).text).items).toMatchObject([{ key: { name: 'hello' } }]);
    await quartz('triggers', 'resume-many', '--all', '--yes', ...beside);
    const remove = ['triggers', 'remove-many', '--all', ...beside];
    expect((await quartz(...remove)).text).toContain('Dry run'); // no confirmation, because nothing is deleted
    expect(JSON.parse((await quartz('triggers', 'list', '--json', ...beside)).text).items).toHaveLength(1);
  });

  it('validate reports missing environment variables, because it checks the file for a node', async () => {
    const { code, text } = await quartz('validate', join(folder, 'quartz.yaml'));
    expect([code, text]).toEqual([3, expect.stringMatching(/NODE_ID[\s\S]*TOKEN_HASH/)]);
  });

  it('jobs add needs no running node, and is refused if the running node lacks the type', async () => {
    const config = join(folder, 'quartz.yaml');
    const add = (name: string) => quartz('jobs', 'add', name, '--type', 'helo', '--durable', '--config', config);
    expect(await add('early')).toMatchObject({ code: 0 });
    const jobStore = { class: 'sqlite', path: join(folder, 'quartz.db'), storeThread: false } as const;
    const scheduler = await createScheduler({ jobStore }, { jobs: { hello: async () => {} } });
    await scheduler.start();
    expect(await add('late')).toEqual({
      code: 3,
      text: expect.stringMatching(/Did you mean 'hello'[\s\S]*set registeredLater/),
    });
    await scheduler.shutdown();
  });

  it('top shows the trigger that fires next, and leaves nothing on the terminal', async () => {
    const { code, text } = await quartz('top', '--for', '1ms', '--config', join(folder, 'quartz.yaml'));
    expect(code).toBe(0);
    expect(text.startsWith('\u001b[?1049h')).toBe(true);
    expect(text).toContain('next fire time 2999-01-01T00:00:00.000Z of DEFAULT/hello');
    expect(text.endsWith('\u001b[?1049l')).toBe(true);
    expect(text.match(/\[\?1049h/g)).toHaveLength(1);
  });

  it('top --json draws nothing', async () => {
    const { text } = await quartz('top', '--json', '--for', '1ms', '--config', join(folder, 'quartz.yaml'));
    expect(text).not.toContain('\u001b');
    expect(JSON.parse(text.split('\n')[0] ?? '').next).toMatchObject({ trigger: { group: 'DEFAULT', name: 'hello' } });
  });

  it.each(['tail', 'top'])('%s takes a database from a configuration or a URL, and ends after --for', async (name) => {
    proves('command-line', 'tail --for', 'top --for', 'tail --url', 'top --url', 'top --json');
    const short = [name, '--for', '1ms', '--json'];
    expect((await quartz(...short, ...beside())).code).toBe(0);
    expect((await quartz(name, '--for', 'x', ...beside())).code).toBe(2);
    expect((await quartz(...short, '--config', join(folder, 'none.yaml'))).code).toBe(3);
    expect((await quartz(...short, '--url', url())).code).toBe(0);
    expect((await quartz(...short, '--url', `sqlite:${join(folder, 'none.db')}`)).code).toBe(7);
  });

  it('--url selects a database, and --scheduler a scheduler in it', async () => {
    proves('command-line', 'Operations --url', 'Operations --scheduler');
    const jobs = async (...more: readonly string[]) => (await quartz('jobs', '--url', url(), ...more)).text;
    expect(await jobs()).toContain('DEFAULT/hello');
    expect(await jobs('--scheduler', 'QuartzScheduler')).toContain('DEFAULT/hello');
    expect(await jobs('--scheduler', 'Other')).toContain(
      "that the database contains ('QuartzScheduler'), found 'Other'",
    );
  });

  it('jobs list prints one page, or all pages with --all', async () => {
    proves('command-line', 'Operations --all');
    for (const name of ['one', 'three', 'two'])
      await quartz('jobs', 'add', `all/${name}`, '--type', 'x', '--durable', ...beside());
    const jobs = async (...more: readonly string[]) =>
      (await quartz('jobs', 'list', '--group', 'all', '--limit', '2', ...more, ...beside())).text;
    expect(await jobs()).toMatch(/all\/one[\s\S]*all\/three[\s\S]*--all/);
    expect(await jobs()).not.toContain('all/two');
    expect(await jobs('--all')).toMatch(/all\/one[\s\S]*all\/three[\s\S]*all\/two/);
    expect((await jobs('--all', '--json')).trim().split('\n')).toHaveLength(2);
  });

  it('triggers add reads the fields from a file or from standard input', async () => {
    proves('command-line', 'Operations --file');
    await quartz('jobs', 'add', 'files/one', '--type', 'x', '--durable', ...beside());
    const yaml = join(folder, 'trigger.yaml');
    writeFileSync(yaml, 'name: early\ngroup: files\njob: files/one\ncron: 0 0 6 * * ?\ndata: { to: ops }\n');
    readStandardInput = async () => '{"name":"later","group":"files","job":"files/one","cron":"0 0 7 * * ?"}';
    const add = (file: string) => quartz('triggers', 'add', '--file', file, ...beside());
    expect([await add(yaml), await add('-')]).toMatchObject([{ code: 0 }, { code: 0 }]);
    const { text } = await quartz('triggers', 'list', '--group', 'files', '--json', ...beside());
    expect(JSON.parse(text).items).toMatchObject([{ schedule: '0 0 6 * * ?' }, { schedule: '0 0 7 * * ?' }]);
  });

  it('schedule plan takes a database by its URL', async () => {
    proves('command-line', 'schedule plan --url');
    writeFileSync(
      join(folder, 'planned.yaml'),
      'jobs: [{ name: planned, triggers: [{ simple: { interval: PT1H } }] }]',
    );
    const plan = (of: string) => quartz('schedule', 'plan', join(folder, 'planned.yaml'), '--url', of);
    expect((await plan(url())).code).toBe(8);
    expect((await plan(`sqlite:${join(folder, 'none.db')}`)).code).toBe(7);
  });

  it('validate --stored names unreadable rows', async () => {
    proves('command-line', 'validate --stored');
    const file = join(folder, 'stored.db');
    const config = join(folder, 'stored.yaml');
    writeFileSync(config, `jobStore: { class: sqlite, path: ${JSON.stringify(file)}, storeThread: false }`);
    await quartz('migrate', '--apply', '--config', config);
    await quartz('jobs', 'add', 'report', '--type', 'x', '--durable', '--config', config);
    const database = new DatabaseSync(file);
    database.exec("UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = X'ACED0005FF'"); // broken Java serialisation
    database.close();
    expect((await quartz('validate', config)).code).toBe(0);
    const { code, text } = await quartz('validate', config, '--stored');
    expect([code, text]).toEqual([3, expect.stringContaining('this node cannot read the stored job DEFAULT/report')]);
    const { files } = JSON.parse((await quartz('validate', config, '--json', '--stored')).text);
    expect(files[0].unreadable).toMatchObject([
      { what: 'job', group: 'DEFAULT', name: 'report', cause: expect.any(String) },
    ]);
  });
});
