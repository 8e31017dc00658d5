import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { Configuration } from '../../../../src';
import { createConsole, hashPassword, hashToken, newToken } from '../../../../src/console';
import { startCli } from '../../../support/cli-process';
import { freshDist } from '../../../support/fresh-dist';
import type { Proofs } from '../support/proof';
import { newFolder, open } from '../support/world';

const TLS = resolve(__dirname, '../../../support/database/tls');
const token = newToken();
const deploy = { deploy: `admin ${hashToken(token)}` };
const BEARER = { authorization: `Bearer ${token}` };

/** What the command `run` says of its console, and how it ends. */
async function runWith(section: object, ...options: readonly string[]) {
  const folder = newFolder();
  const [config, jobs] = [join(folder, 'quartz.json'), join(folder, 'jobs.mjs')];
  writeFileSync(config, JSON.stringify({ console: section }));
  writeFileSync(jobs, 'export const jobs = { noop: async () => {} };');
  freshDist();
  return startCli(['run', '--config', config, '--jobs', jobs, '--for', '10ms', ...options], folder).ended;
}

async function runSays(section: object, ...options: readonly string[]): Promise<string> {
  const { code, stderr } = await runWith(section, ...options);
  expect([code, stderr]).toEqual([0, stderr]);
  return stderr;
}

const isRefused = (message: RegExp) => ({ code: 3, stderr: expect.stringMatching(message) });

/** Asks the console of a scheduler with that section. */
async function askWith(section: object, path: string, init: RequestInit = {}): Promise<Response> {
  const { scheduler } = await open({ console: section } as Configuration);
  return createConsole(scheduler).fetch(new Request(`http://localhost${path}`, init));
}

const statusWith = async (section: object, path: string, headers: Record<string, string> = BEARER) =>
  (await askWith(section, path, { headers })).status;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** How the scheduler is shown over HTTP. */
export const consoleProofs: Proofs = {
  async 'console.port'() {
    const port = await freePort();
    expect(await runSays({ port })).toContain(`http://127.0.0.1:${port}/#token=`);
    expect(await runSays({})).not.toContain('http');
  },

  async 'console.host'() {
    expect(await runSays({ port: 0, host: '127.0.0.2' })).toContain('http://127.0.0.2:');
    expect(await runSays({ port: 0, host: '127.0.0.2' }, '--http-host', '127.0.0.3')).toContain('http://127.0.0.3:');
    const everywhere = await runSays({ port: 0, host: '0.0.0.0', tokens: deploy });
    expect(everywhere).toMatch(/who is named in the configuration: http:\/\/0\.0\.0\.0:\d+\/\n/);
    expect(await runWith({ port: 0, host: '0.0.0.0' })).toMatchObject(isRefused(/console\.host: expected/));
  },

  async 'console.basePath'() {
    const section = { tokens: deploy, basePath: '/admin/quartz' };
    expect(await statusWith(section, '/admin/quartz/api/session')).toBe(200);
    expect(await statusWith(section, '/api/session')).toBe(404);
  },

  async 'console.readOnly'() {
    const init = { method: 'POST', headers: { ...BEARER, 'content-type': 'application/json' }, body: '{}' };
    const statusOf = async (readOnly: boolean) =>
      (await askWith({ tokens: deploy, readOnly }, '/api/schedulers/QuartzScheduler/pause', init)).status;
    expect([await statusOf(true), (await statusOf(false)) === 403]).toEqual([403, false]);
  },

  async 'console.tokens'() {
    expect(await statusWith({ tokens: deploy }, '/api/session')).toBe(200);
    expect(await statusWith({}, '/api/session')).toBe(401);
  },

  async 'console.users'() {
    const users = { 'ann@example.com': `viewer ${await hashPassword('correct horse')}` };
    const as = (password: string) => ({ authorization: `Basic ${btoa(`ann@example.com:${password}`)}` });
    expect(await statusWith({ users }, '/api/session', as('correct horse'))).toBe(200);
    expect(await statusWith({ users }, '/api/session', as('correct mule'))).toBe(401);
  },

  async 'console.allowedHosts'() {
    const headers = { ...BEARER, host: 'quartz.example.com' };
    const section = { tokens: deploy, allowedHosts: 'quartz.example.com, other.example.com' };
    expect(await statusWith(section, '/api/session', headers)).toBe(200);
    expect(await statusWith({ tokens: deploy }, '/api/session', headers)).toBe(403);
  },

  async 'console.sessionLifetime'() {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ secret: token }) };
    const cookieWith = async (section: object) =>
      (await askWith({ tokens: deploy, ...section }, '/api/session', init)).headers.get('set-cookie');
    expect(await cookieWith({ sessionLifetime: 'PT5M' })).toContain('Max-Age=300;');
    expect(await cookieWith({})).toContain('Max-Age=43200;');
  },

  async 'console.tls.cert'() {
    const tls = { cert: join(TLS, 'address.pem'), key: join(TLS, 'server-key.pem') };
    expect(await runSays({ port: 0, tls })).toContain('https://127.0.0.1:');
    expect(await runWith({ port: 0, tls: { ...tls, cert: 'none.pem' } })).toMatchObject(
      isRefused(/console\.tls\.cert: .*none\.pem/),
    );
  },

  async 'console.tls.key'() {
    const tls = { cert: join(TLS, 'address.pem'), key: join(TLS, 'authority.pem') };
    expect(await runWith({ port: 0, tls })).toMatchObject(
      isRefused(/console\.tls: expected a certificate and its private key/),
    );
  },
};
