import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program';
import type { Authenticator } from '../../src/console/authenticator';
import { closeAll, serve, testConsole, testScheduler } from '../console/support';
import { memoryOutput } from '../support/memory-output';
import { proves } from '../support/proves';

/** Accepts one token. */
const auth: Authenticator = {
  authenticate: async ({ headers }) =>
    headers.get('authorization') === 'Bearer right' ? { name: 'ops', role: 'viewer', via: 'http', from: null } : null,
};

describe('commands on a server', () => {
  let folder: string;
  let url: string;

  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-on-a-server-'));
    ({ url } = await serve(testConsole(await testScheduler(), { auth }).listener));
  });

  afterAll(async () => {
    await closeAll();
    rmSync(folder, { recursive: true, force: true });
  });

  async function quartz(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { output, stdout, stderr } = memoryOutput();
    const code = await runProgram(args, { output, env, folder });
    return { code, stdout: stdout(), stderr: stderr() };
  }

  const right = { QUARTZ_TOKEN: 'right' };
  const commands = () => [
    { words: ['nodes'], success: 0 },
    { words: ['tail', '--for', '1ms', '--json'], success: 0 },
    { words: ['top', '--for', '1ms', '--json'], success: 0 },
    {
      words: ['schedule', 'plan', file('s.yaml', 'jobs: [{ name: noop, triggers: [{ simple: { interval: PT1H } }] }]')],
      success: 8,
    },
  ];

  it('take the server address, and prefer the token of a file to the token of the environment', async () => {
    proves('command-line', 'Operations --server', 'schedule plan --server');
    proves('command-line', 'Operations --token-file', 'schedule plan --token-file', 'tail --token-file');
    proves('command-line', 'top --token-file');
    for (const { words, success } of commands()) {
      const on = (token: string, ...more: readonly string[]) =>
        quartz([...words, '--server', url, ...more], { QUARTZ_TOKEN: token });
      expect([words[0], (await on('right')).code]).toEqual([words[0], success]);
      expect((await on('other', '--token-file', file('right', 'right\n'))).code).toBe(success);
      expect((await on('right', '--token-file', file('wrong', 'wrong\n'))).code).toBe(11);
      expect((await quartz([...words, '--server', 'http://127.0.0.1:1'], right)).code).toBe(12);
    }
    const { stdout } = await quartz(['scheduler', 'show', '--server', url, '--json'], right);
    expect(JSON.parse(stdout)).toMatchObject({ schedulerName: 'Reports', jobStore: { persistent: false } });
  });

  it('select one of its schedulers by name', async () => {
    proves('command-line', 'schedule plan --scheduler', 'tail --scheduler', 'top --scheduler');
    for (const { words, success } of commands()) {
      const of = (name: string) => quartz([...words, '--server', url, '--scheduler', name], right);
      expect([words[0], (await of('Reports')).code, (await of('Other')).code]).toEqual([words[0], success, 9]);
    }
  });

  it('report a missing address or token, and refuse a second target', async () => {
    expect((await quartz(['nodes'])).stderr).toContain('--server <url>');
    expect(await quartz(['nodes', '--server', url])).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('QUARTZ_TOKEN'),
    });
    expect((await quartz(['nodes', 'drain', 'x', '--server', url], right)).code).toBe(11); // as a viewer
    expect((await quartz(['jobs', '--server', url, '--config', 'quartz.yaml'], right)).code).toBe(2);
    const memory = file('memory.yaml', 'threadPool.threadCount: 3');
    expect(await quartz(['jobs', '--config', memory])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('--server'),
    });
  });
});
