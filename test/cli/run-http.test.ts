import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliProcess, startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';

describe('run --http', () => {
  let folder: string;
  const running: CliProcess[] = [];

  beforeAll(() => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-run-http-'));
    writeFileSync(join(folder, 'jobs.mjs'), 'export const jobs = { quick: async () => {} };');
    writeFileSync(join(folder, 'memory.yaml'), 'scheduler.instanceName: Reports');
    writeFileSync(
      join(folder, 'sqlite.yaml'),
      'scheduler.instanceName: Reports\njobStore: { class: sqlite, path: ./a.db }',
    );
  });

  afterAll(() => {
    for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const run = (config: string, ...args: readonly string[]) => {
    const process = startCli(['run', '--config', config, '--jobs', './jobs.mjs', ...args], folder);
    running.push(process);
    return process;
  };

  it.each(['memory.yaml', 'sqlite.yaml'])('serves the console of the running scheduler, with %s', async (config) => {
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
    expect(await (await fetch(url)).text()).toContain('<div id="app">');
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

  it('says in one line that the port is taken, and runs nothing', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const { code, stdout, stderr } = await run('memory.yaml', '--http', String(port)).ended;
    taken.close();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: --http: cannot listen there: .*EADDRINUSE.*\n$/);
  });

  it.each(['65536', '-1', 'x', '80a', ''])('refuses %j as a port', async (port) => {
    expect((await run('memory.yaml', '--http', port).ended).code).toBe(2);
  });
});
