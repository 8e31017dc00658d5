import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliProcess, startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';
import { closeBrowser, closeShown, goTo, look } from './harness';

/** `import` and its recovery run until the file `until` exists. */
const JOBS = `
  import { existsSync } from 'node:fs';
  import { setTimeout as wait } from 'node:timers/promises';
  export const jobs = {
    async import({ data, progress, signal }) {
      for (let step = 1; !existsSync(data.until); step++) {
        progress(Math.min(step / 100, 0.9), 'row ' + step);
        await wait(50, undefined, { signal });
      }
      return { summary: 'all rows' };
    },
    block() {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
    },
  };`;

const NODES = ['node-a', 'node-b', 'node-c'] as const;

let folder: string;
const running: CliProcess[] = [];

beforeAll(() => {
  freshDist();
  folder = mkdtempSync(join(tmpdir(), 'quartz-ts-watched-'));
  writeFileSync(join(folder, 'jobs.mjs'), JOBS);
  const prefers = { labels: ['node:node-b'], fallbackAfter: '1s' };
  const job = { name: 'import', durable: true, requestsRecovery: true, history: 'all', prefers };
  const block = { name: 'block', durable: true, runsOn: ['node:node-c'] };
  const schedule = { jobs: [{ ...job, data: { until: join(folder, 'done') } }, block] };
  writeFileSync(join(folder, 'schedule.json'), JSON.stringify(schedule));
});
afterEach(closeShown);
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  rmSync(folder, { recursive: true });
  await closeBrowser();
});

/** Starts a node as a separate process, and returns the address of its console. */
async function startNode(instanceId: string): Promise<string> {
  const config = {
    scheduler: { instanceName: 'Reports', instanceId },
    jobStore: {
      class: 'sqlite',
      path: './quartz.db',
      ...{ clusterCheckinInterval: 1_500, clusterCheckinGrace: 3_500, yieldAfterStall: 1_000 },
    },
    plugin: { schedule: { class: 'scheduleFile', fileNames: './schedule.json' } },
  };
  writeFileSync(join(folder, `${instanceId}.yaml`), JSON.stringify(config));
  const process = startCli(
    ['run', '--config', `${instanceId}.yaml`, '--jobs', './jobs.mjs', '--http', '0', '--json'],
    folder,
  );
  running.push(process);
  await process.seen('"schedulerStarted"');
  const line = process
    .output()
    .split('\n')
    .find((text) => text.includes('"token"'));
  const { url, token } = JSON.parse(line ?? '') as { readonly url: string; readonly token: string };
  return `${url}#token=${token}`;
}

test('the page of a three-node cluster shows a killed node as gone and its job as recovered', async () => {
  const addresses: string[] = [];
  for (const name of NODES) addresses.push(await startNode(name));
  const { page, failures } = await look({ url: '' });
  await page.goto(addresses[0] ?? '');
  const nodes = page.getByRole('region', { name: 'Nodes' });
  for (const name of NODES) await nodes.getByRole('row', { name: new RegExp(`${name}.*alive`) }).waitFor();
  await page.evaluate('window.isTheSame = true');

  await goTo(page, 'Jobs');
  await page.getByRole('link', { name: 'import' }).click();
  await page.getByRole('button', { name: 'Fire now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fire now' }).click();
  await goTo(page, 'Running');
  await page.getByRole('row', { name: /import.*row \d+.*node-b.*running/ }).waitFor();

  await goTo(page, 'Overview');
  await nodes.getByRole('row', { name: /node-b.*alive/ }).waitFor();
  running[1]?.child.kill('SIGKILL');
  await nodes.getByRole('row', { name: /node-b/ }).waitFor({ state: 'detached' });
  for (const name of ['node-a', 'node-c'])
    await nodes.getByRole('row', { name: new RegExp(`${name}.*alive`) }).waitFor();

  await goTo(page, 'Running');
  await page.getByRole('row', { name: /import.*row \d+.*node-[ac].*recovering/ }).waitFor();
  await goTo(page, 'Runs');
  await page.getByRole('row', { name: /lost.*import.*node-b/ }).waitFor();
  writeFileSync(join(folder, 'done'), '');
  await page.getByRole('row', { name: /succeeded.*import.*node-[ac].*all rows/ }).waitFor();

  await goTo(page, 'Jobs');
  await page.getByRole('link', { name: 'block' }).click();
  await page.getByRole('button', { name: 'Fire now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fire now' }).click();
  await goTo(page, 'Overview');
  await page.getByText(/Node node-c was blocked and started to leave triggers to other nodes .* ago\./).waitFor();
  await goTo(page, 'Nodes');
  await page.getByRole('row', { name: /node-c.*holding back.*since .* ago/ }).waitFor();
  const last = page.getByRole('row', { name: /node-c/ });
  await last.getByRole('button', { name: 'Drain' }).click();
  await page.getByRole('dialog', { name: 'Drain node-c?' }).getByRole('button', { name: 'Drain' }).click();
  await page.getByRole('row', { name: /node-c.*draining/ }).waitFor();
  await last.getByRole('button', { name: 'Undrain' }).click();
  await page.getByRole('row', { name: /node-c.*alive/ }).waitFor();
  expect(await page.evaluate('window.isTheSame')).toBe(true);
  expect(failures).toEqual([]);
}, 120_000);
