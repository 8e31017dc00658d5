import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashToken } from '../../src/base/secret-hash';
import { freshDist } from '../support/fresh-dist';

const ROOT = resolve(__dirname, '../..');
const TOKEN = 'a-token-of-this-test-that-nobody-guesses';
const STARTED_WITHIN_MS = 30_000;

/** The programs of the page, by the names of their files. */
const PROGRAMS = new Map(
  [
    ...readFileSync(join(ROOT, 'docs/reference/http.md'), 'utf8').matchAll(/```js\n\/\/ (\S+\.mjs)\n([\s\S]*?)```/g),
  ].map(([, name = '', text = '']) => [name, text] as const),
);

/** Packages that the programs import. */
const PACKAGES = ['express', 'fastify', 'reflect-metadata', '@nestjs/common', '@nestjs/core'];

describe('the console mounted by programs of docs/reference/http.md', () => {
  let folder: string;
  let child: ChildProcess | null = null;

  beforeAll(() => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-frameworks-'));
    for (const name of [...PACKAGES, 'quartz-ts']) {
      const link = join(folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(name === 'quartz-ts' ? ROOT : join(ROOT, 'node_modules', name), link);
    }
    for (const [name, text] of PROGRAMS) writeFileSync(join(folder, name), text);
  });
  afterEach(() => child?.kill('SIGKILL'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Starts a program. Resolves to the URL of its console as soon as it responds. */
  async function started(program: string): Promise<string> {
    const port = await freePort();
    let written = '';
    const env = { ...process.env, PORT: String(port), DEPLOY_TOKEN_HASH: hashToken(TOKEN) };
    const running = spawn(process.execPath, [program], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = running;
    for (const stream of [running.stdout, running.stderr]) stream.on('data', (text) => (written += text));
    const url = `http://127.0.0.1:${port}/admin/quartz`;
    for (const deadline = Date.now() + STARTED_WITHIN_MS; Date.now() < deadline && running.exitCode === null; ) {
      const answer = await fetch(`${url}/health/live`).catch(() => null);
      if (answer !== null) return url;
      await sleep(50);
    }
    throw new Error(`${program} did not answer. It said:\n${written}`);
  }

  it.each([
    ['express.mjs', ['Reports']],
    ['nest.mjs', ['Reports']],
    ['fastify.mjs', ['Reports']],
    ['plain.mjs', ['Reports', 'Mails']],
  ])('serves the page, the API and the events: %s', async (program, schedulers) => {
    const url = await started(program);
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const session = await fetch(`${url}/api/session`, { headers });
    expect(await session.json()).toMatchObject({ name: 'deploy', schedulers });
    expect((await fetch(`${url}/api/session`)).status).toBe(401);
    for (const name of schedulers) {
      const paused = await fetch(`${url}/api/schedulers/${name}/pause`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ reason: 'a test' }),
      });
      expect([await paused.text(), paused.status]).toEqual([expect.any(String), 200]);
      const events = await fetch(`${url}/api/schedulers/${name}/events`, { headers });
      const reader = (events.body as ReadableStream<Uint8Array>).getReader();
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('retry:');
      await reader.cancel();
    }
    const page = await fetch(url);
    expect([page.url, await page.text()]).toEqual([`${url}/`, expect.stringContaining('<div id="app">')]);
    expect(await (await fetch(`${url}/api/nothing`, { headers })).json()).toMatchObject({ code: 'NO_SUCH_PATH' });
  });

  it('is tested with all programs of the page', () => {
    const started = ['express.mjs', 'nest.mjs', 'fastify.mjs', 'plain.mjs'];
    expect([...PROGRAMS.keys()].sort()).toEqual([...started, 'console.mjs'].sort());
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}
