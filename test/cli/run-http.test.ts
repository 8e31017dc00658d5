import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hashPassword, hashToken } from '../../src/base/secret-hash';
import { type CliEnd, type CliProcess, runClis, startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';
import { proves } from '../support/proves';

const TOKEN = 'a-token-of-this-test-that-nobody-guesses';

const CERTIFICATES = resolve(__dirname, '../support/database/tls');

describe('run --http', () => {
  let folder: string;
  const running: CliProcess[] = [];

  beforeAll(async () => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-run-http-'));
    writeFileSync(join(folder, 'jobs.mjs'), 'export const jobs = { quick: async () => {} };');
    writeFileSync(join(folder, 'memory.yaml'), 'scheduler.instanceName: Reports');
    writeFileSync(
      join(folder, 'sqlite.yaml'),
      'scheduler.instanceName: Reports\njobStore: { class: sqlite, path: ./a.db }',
    );
    const [deploy, ann] = [`operator ${hashToken(TOKEN)}`, `admin ${await hashPassword('correct horse')}`];
    const files = {
      'everywhere.yaml': [
        'scheduler.instanceName: Reports',
        'console: { port: 0, host: 0.0.0.0, basePath: /admin, readOnly: true, keepAliveTimeout: 90s }',
        `console.tokens: { deploy: '${deploy}' }`,
        `console.users: { ann@example.com: '${ann}' }`,
      ],
      'tls.properties': [
        'org.quartz.console.port = 0',
        `org.quartz.console.tokens.deploy = ${deploy}`,
        `org.quartz.console.tls.cert = ${join(CERTIFICATES, 'address.pem')}`,
        `org.quartz.console.tls.key = ${join(CERTIFICATES, 'server-key.pem')}`,
      ],
      'open.yaml': ['console: { port: 0, host: 0.0.0.0 }'],
      'clear.yaml': ['console: { users: { ann: admin hunter2 } }'],
      'no-file.yaml': ['console: { port: 0, tls: { cert: none.pem, key: none.pem } }'],
    };
    for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), lines.join('\n'));
  });

  afterAll(() => {
    for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const argsOf = (config: string, args: readonly string[]) => [
    ...['run', '--config', config, '--jobs', './jobs.mjs'],
    ...args,
  ];
  const run = (config: string, ...args: readonly string[]) => {
    const process = startCli(argsOf(config, args), folder);
    running.push(process);
    return process;
  };

  it.each(['memory.yaml', 'sqlite.yaml'])('serves the console of the running scheduler, with %s', async (config) => {
    proves('command-line', 'run --http');
    const { child, seen, output, ended } = run(config, '--http', '0', '--json');
    await seen('"token"');
    const { url, token } = JSON.parse(
      output()
        .split('\n')
        .find((line) => line.includes('"token"')) ?? '',
    );
    const headers = { authorization: `Bearer ${token}` };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect(token).toMatch(/^[a-z0-9]{30,}$/);
    const page = await fetch(url);
    expect(await page.text()).toContain('<div id="app">');
    expect(page.headers.get('keep-alive')).toBe('timeout=75'); // longer than the idle timeout of load balancers
    for (const wrong of ['', token.slice(1), `${token}x`, 'x'.repeat(40)]) {
      const response = await fetch(`${url}api/session`, { headers: { authorization: `Bearer ${wrong}` } });
      expect([wrong, response.status]).toEqual([wrong, 401]);
    }
    const events = await fetch(`${url}api/schedulers/Reports/events`, { headers });
    await seen('"schedulerStarted"');
    const nodes = await fetch(`${url}api/schedulers/Reports/nodes`, { headers });
    expect(await nodes.json()).toMatchObject({ items: [{ isThisNode: true, processId: child.pid }] });
    child.kill('SIGTERM');
    const [text, { code }] = await Promise.all([events.text(), ended]);
    expect(code).toBe(0);
    expect(text).toContain('"type":"schedulerShutdown"');
  });

  /** URL and token of the console, from the output of the process. */
  async function shownBy({ seen, output }: CliProcess) {
    await seen('Console at');
    const line = output()
      .split('\n')
      .find((each) => each.includes('Console at'));
    return JSON.parse(line ?? '') as { readonly url: string; readonly token?: string };
  }

  it('listens on all addresses if the configuration has a port and users, and prints no secret', async () => {
    proves(
      'configuration',
      'console.port',
      'console.host',
      'console.users',
      'console.readOnly',
      'console.keepAliveTimeout',
    );
    const { child, ended, ...others } = run('everywhere.yaml', '--json');
    const { url, token } = await shownBy({ child, ended, ...others });
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/admin\/$/);
    expect(token).toBeUndefined();
    const here = url.replace('0.0.0.0', '127.0.0.1');
    expect((await fetch(here)).headers.get('keep-alive')).toBe('timeout=90');
    const statusOf = async (authorization: string) =>
      (await fetch(`${here}api/session`, { headers: { authorization } })).status;
    expect(await statusOf(`Bearer ${TOKEN}`)).toBe(200);
    expect(await statusOf(`Basic ${btoa('ann@example.com:correct horse')}`)).toBe(200);
    expect(await statusOf(`Basic ${btoa('ann@example.com:correct mule')}`)).toBe(401);
    expect(await statusOf(`Bearer ${TOKEN}x`)).toBe(401);
    const change = await fetch(`${here}api/schedulers/Reports/pause`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(change.status).toBe(403);
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('not encrypted')]);
    expect(stdout + stderr).not.toMatch(/sha256|scrypt|correct horse/);
  });

  it('uses the address of the command line, with the TLS of the configuration', async () => {
    proves('configuration', 'console.tls.cert', 'console.tls.key');
    proves('command-line', 'run --http-host');
    const tls = run('tls.properties', '--http', '0', '--http-host', '0.0.0.0', '--json');
    const { url } = await shownBy(tls);
    expect(url).toMatch(/^https:\/\/0\.0\.0\.0:\d+\/$/);
    const options = {
      ca: readFileSync(join(CERTIFICATES, 'authority.pem')),
      headers: { authorization: `Bearer ${TOKEN}` },
    };
    const status = await new Promise((answered, failed) => {
      get(`${url.replace('0.0.0.0', '127.0.0.1')}api/session`, options, (response) => {
        response.resume();
        answered(response.statusCode);
      }).on('error', failed);
    });
    expect(status).toBe(200);
    tls.child.kill('SIGTERM');
    expect(await tls.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('not encrypted') });
  });

  const REFUSED = [
    [
      'a public address on the command line without tokens or users',
      2,
      'memory.yaml',
      ['--http', '0', '--http-host', '0.0.0.0'],
      /^error: --http-host: expected an address that only this machine can reach .*console\.tokens or console\.users/,
    ],
    [
      'a public address in the configuration without tokens or users',
      3,
      'open.yaml',
      [],
      /open\.yaml:1:27 console\.host: expected 127\.0\.0\.1, or another address together with console\.tokens or console\.users, found '0\.0\.0\.0'/,
    ],
    [
      'a host without a port',
      2,
      'memory.yaml',
      ['--http-host', '::1'],
      /^error: --http-host: expected also --http <port>/,
    ],
    [
      'a password instead of a hash',
      3,
      'clear.yaml',
      [],
      /clear\.yaml:1:\d+ console\.users\.ann: expected a role and a hash.*found another value \(hidden\)/,
    ],
    [
      'a missing certificate file',
      3,
      'no-file.yaml',
      [],
      /^error: console\.tls\.cert: cannot read the file: .*none\.pem/,
    ],
  ] as const;
  const PORTS = ['65536', '-1', 'x', '80a', ''];

  describe('when it cannot start', () => {
    let refused: readonly CliEnd[];
    let ofPorts: readonly CliEnd[];
    let inUse: CliEnd;
    beforeAll(async () => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const { port } = taken.address() as { port: number };
      const ends = await runClis(
        [
          ...REFUSED.map(([, , config, args]) => argsOf(config, args)),
          ...[...PORTS, String(port)].map((each) => argsOf('memory.yaml', ['--http', each])),
        ],
        folder,
      );
      taken.close();
      refused = ends.slice(0, REFUSED.length);
      ofPorts = ends.slice(REFUSED.length, -1);
      inUse = ends.at(-1) as CliEnd;
    });

    it('reports a port in use in one line, and runs nothing', () => {
      const { code, stdout, stderr } = inUse;
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: --http: cannot listen on this address: .*EADDRINUSE.*\n$/);
    });

    it.each(
      REFUSED.map((each, index) => [...each, index] as const),
    )('refuses %s', (_, code, __, ___, message, index) => {
      expect(refused[index]).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) });
      expect(refused[index]?.stderr).not.toContain('hunter2');
    });

    it.each(PORTS)('refuses %j as a port', (port) => {
      expect(ofPorts[PORTS.indexOf(port)]?.code).toBe(2);
    });
  });
});
