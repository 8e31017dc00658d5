import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeOnOneServer, startServer } from '../support/database/test-database';
import { freshDist } from '../support/fresh-dist';
import { until } from '../support/until';

const ROOT = resolve(__dirname, '../..');
const MAIN = join(ROOT, 'bench/main.mjs');
const PROXY = join(ROOT, 'bench/nodes/delay-proxy.mjs');
const DIST = pathToFileURL(join(ROOT, 'dist/index.mjs')).href;

/** A build whose nodes start every due job twice. */
const FIRES_TWICE = `import { createScheduler as create } from '${DIST}';
  export * from '${DIST}';
  const twice = (job) => async (context) => {
    await job(context);
    await job(context);
  };
  export const createScheduler = (config, options) =>
    create(config, { ...options, jobs: { noop: twice(options.jobs.noop) } });`;

interface Report {
  readonly workload: string;
  readonly title: string;
  readonly sides: readonly {
    readonly label: string;
    readonly figures: Readonly<Record<string, { readonly median: number }>>;
    readonly rounds: readonly Readonly<Record<string, unknown>>[];
  }[];
  readonly ratios: readonly { readonly label: string; readonly ofMedians: number }[];
}

function nodes(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const short = ['--rounds', '1', '--n', '100', '--k', '40', '--warm', '0', '--seconds', '1', '--json'];
  return new Promise((done) => {
    execFile(process.execPath, [MAIN, 'nodes', ...short, ...args], (error, out, err) =>
      done({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

async function reportsOf(...args: readonly string[]): Promise<readonly Report[]> {
  const { code, out, err } = await nodes(...args);
  expect({ code, err }).toMatchObject({ code: 0 });
  return (JSON.parse(out) as { reports: readonly Report[] }).reports;
}

describeOnOneServer('the benchmark of several nodes', () => {
  let url: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    freshDist();
    ({ url, stop } = await startServer()); // a private server, so that its counters include no other test
  }, 60_000);
  afterAll(() => stop());

  it('compares two nodes with one node behind a delay', async () => {
    const delayed = ['--delay', '3', '--url', url];
    const [drain] = await reportsOf('--only', 'drain', '--nodes', '1,2', ...delayed);
    expect(drain).toMatchObject({ workload: 'nodes-drain', title: expect.stringContaining('3 ms each way') });
    expect(drain?.sides.map(({ label }) => label)).toEqual(['quartz-ts, 1 node', 'quartz-ts, 2 nodes']);
    expect(drain?.ratios.map(({ label }) => label)).toEqual(['quartz-ts, 2 nodes / quartz-ts, 1 node']);
    for (const { figures, rounds } of drain?.sides ?? []) {
      expect(rounds).toMatchObject([{ count: 100 }]);
      expect(figures.commits?.median).toBeGreaterThan(0);
    }
  }, 60_000);

  it('measures the lateness of an even load with limits', async () => {
    const [spread] = await reportsOf('--only', 'spread', '--nodes', '2', '--kind', 'limited', '--url', url);
    expect(spread).toMatchObject({ workload: 'nodes-spread', sides: [{ label: 'quartz-ts, 2 nodes' }] });
    expect(spread?.sides[0]?.rounds).toMatchObject([{ perNode: [expect.any(Number), expect.any(Number)] }]);
    const figures = ['lateP50', 'lateP99', 'statements', 'commits'];
    expect(Object.keys(spread?.sides[0]?.figures ?? {})).toEqual(expect.arrayContaining(figures));
  }, 60_000);

  it('fails if a node of the other build fires a trigger twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-bench-test-'));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.mjs'), FIRES_TWICE);
    const again = ['--only', 'drain', '--nodes', '1', '--delay', '0', '--against', folder, '--url', url];
    const { code, out, err } = await nodes(...again);
    rmSync(folder, { recursive: true });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/1 node did not fire every fire time once\. fired twice: \d+ \(t\d+, /);
  }, 60_000);

  it('delays packets in both directions and keeps their order', async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const values = ['host=127.0.0.1', `port=${(echo.address() as AddressInfo).port}`, 'delay=50'];
    const proxy = spawn(process.execPath, [PROXY, ...values], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await once(proxy.stdout, 'data');
    const socket = connect(Number(String(line).slice('PORT '.length)), '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    const sent = performance.now();
    let back = '';
    socket.on('data', (text) => {
      back += text;
    });
    for (const part of ['one ', 'two ', 'three']) socket.write(part);
    await until(
      () => back,
      (text) => text.length >= 13,
    );
    expect(back).toBe('one two three');
    expect(performance.now() - sent).toBeGreaterThanOrEqual(98); // timers round to milliseconds
    socket.destroy();
    proxy.stdin.end();
    expect(await once(proxy, 'exit')).toEqual([0, null]);
    echo.close();
  });

  it('rejects invalid arguments with exit code 2', async () => {
    const refused = async (...args: readonly string[]) => expect(await nodes(...args)).toMatchObject({ code: 2 });
    await refused('--nodes', '1,none');
    await refused('--store', 'sqlite');
    await refused('--against', tmpdir());
  });
});
