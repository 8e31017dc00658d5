import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Output } from '../../src/cli/output';
import { runProgram } from '../../src/cli/program';
import { createScheduler } from '../../src/scheduler/create-scheduler';

describe('commands beside a database', () => {
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
    const code = await runProgram(args, { output, env: {}, folder });
    return { code, text: written.join('') };
  }

  it.each([
    [['jobs', 'list', '--config']],
    [['migrate', '--print', '--config']],
    [['schedule', 'plan', 's.yaml', '--config']],
  ])('%j needs no variable that only a node needs', async (args) => {
    const { code, text } = await quartz(
      ...args.map((word) => (word === 's.yaml' ? join(folder, word) : word)),
      join(folder, 'quartz.yaml'),
    );
    expect(text).not.toMatch(/NODE_ID|TOKEN_HASH/);
    expect(code).toBe(0);
  });

  it('a bulk command lists what matches and changes nothing until --yes is given', async () => {
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
    expect((await quartz(...remove)).text).toContain('Dry run'); // asks nobody: nothing is lost
    expect(JSON.parse((await quartz('triggers', 'list', '--json', ...beside)).text).items).toHaveLength(1);
  });

  it('validate, which examines the file for a node, names them', async () => {
    const { code, text } = await quartz('validate', join(folder, 'quartz.yaml'));
    expect([code, text]).toEqual([3, expect.stringMatching(/NODE_ID[\s\S]*TOKEN_HASH/)]);
  });

  it('jobs add needs no node that runs, and is refused where one runs that lacks the type', async () => {
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

  it('top names the trigger that fires next, and leaves nothing on the terminal', async () => {
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
});
