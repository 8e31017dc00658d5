import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliProcess, startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';
import { proves } from '../support/proves';
import { until } from '../support/until';

/** Clears the screen and turns text red, if it reaches a terminal unescaped. */
const EVIL = '\u001b[2J\u001b[31m';

/** Control characters that must not reach a terminal; line breaks may. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

const JOBS = `
import { existsSync } from 'node:fs';
const until = async (done) => { while (!done()) await new Promise((resolve) => setTimeout(resolve, 20)); };
export const jobs = {
  async talk({ log, progress, signal }) {
    log.info('first ${EVIL}line');
    progress(0.25, 'a ${EVIL}quarter');
    await until(() => signal.aborted || existsSync('released'));
    log.warn('last line');
  },
  block() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
  },
  async stay({ log, signal }) {
    log.info('here to stay');
    await until(() => signal.aborted);
  },
};
`;

const SCHEDULE = `
jobs:
  - { name: "talk${EVIL.replaceAll('\u001b', '\\e')}", type: talk, durable: true, runsOn: ['node:a'] }
  - { name: stay, durable: true, runsOn: ['node:b'] }
  - { name: block, durable: true, runsOn: ['node:b'] }
`;

const isB = ({ instanceId }: { readonly instanceId: string }) => instanceId === 'b';

const configOf = (instanceId: string) => `
scheduler: { instanceName: Watched, instanceId: ${instanceId} }
jobStore: { class: sqlite, path: ./watched.db, history: all, clusterCheckinInterval: 2000, clusterCheckinGrace: 5000, yieldAfterStall: 1000 }
plugin.schedule: { class: scheduleFile, fileNames: schedule.yaml, scanInterval: 0 }
`;

describe('tail and top, with two nodes', () => {
  let folder: string;
  let url = '';
  let token = '';
  const running: CliProcess[] = [];

  const start = (...args: readonly string[]) => {
    const process = startCli(args, folder, { QUARTZ_TOKEN: token });
    running.push(process);
    return process;
  };
  const node = (id: string, ...args: readonly string[]) =>
    start('run', '--config', `./${id}.yaml`, '--jobs', './jobs.mjs', '--json', ...args);
  const fire = async (name: string) => {
    const path = `api/schedulers/Watched/jobs/DEFAULT/${encodeURIComponent(name)}/fire`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' });
    expect([name, response.status]).toEqual([name, 200]);
  };
  const seenByAll = (processes: readonly CliProcess[], text: string) =>
    Promise.all(processes.map((process) => process.seen(text)));

  beforeAll(async () => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-watching-'));
    const files = { 'jobs.mjs': JOBS, 'schedule.yaml': SCHEDULE, 'a.yaml': configOf('a'), 'b.yaml': configOf('b') };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const a = node('a', '--http', '0');
    await a.seen('"token"');
    const line = a
      .output()
      .split('\n')
      .find((each) => each.includes('"token"'));
    ({ url, token } = JSON.parse(line ?? ''));
    await a.seen('"schedulerStarted"');
    await node('b').seen('"schedulerStarted"');
  });

  afterAll(() => {
    for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('show log lines, a new firing and a dying node, from a store and from a server', async () => {
    proves('command-line', 'tail', 'top', 'tail --config', 'top --config', 'tail --server', 'top --server');
    const [, b] = running as [CliProcess, CliProcess];
    const tails = [start('tail', '--config', './a.yaml'), start('tail', '--server', url)];
    const tops = [start('top', '--config', './a.yaml'), start('top', '--server', url)];
    await seenByAll(tops, '2 nodes, 0 running');
    // A tail does not report its start. It shows this firing in its first poll or in the next one, a second later.
    await fire(`talk${EVIL}`);
    await seenByAll([...tails, ...tops], '25 % a');
    for (const { output } of tails) expect(output()).toMatch(/started .*talk.* on a, [\s\S]*info .*talk.*first .*line/);
    for (const { output } of tails) expect(output()).not.toMatch(/last line|succeeded/);
    writeFileSync(join(folder, 'released'), '');
    await seenByAll(tails, 'succeeded');
    for (const { output } of tails) expect(output()).toMatch(/warn .*last line[\s\S]*succeeded/);
    // One line, although the tail polls the progress several times.
    for (const { output } of tails)
      expect(output().match(/^\S+ +progress +DEFAULT\/talk.* 25 % a .*quarter$/gm)).toHaveLength(1);

    await fire('block');
    const api = async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${url}api/schedulers/Watched/${path}`, { headers });
      return JSON.parse(await response.text());
    };
    const held = async () => {
      const [nodes, overview, doctor] = await Promise.all(['nodes', 'overview', 'doctor'].map(api));
      const since: string | undefined = nodes.items.find(isB).holdsBack?.since;
      if (since === undefined || overview.nodes.find(isB).holdsBack === null) return undefined;
      expect(overview.nodes.find(isB).holdsBack).toMatchObject({ since });
      return doctor.items.find(({ id }: { readonly id: string }) => id === 'nodesHoldBack');
    };
    const [found] = await Promise.all([
      until(held, (each) => each !== undefined),
      seenByAll(tops, 'holding back since'),
    ]);
    expect(found).toMatchObject({ severity: 'warning', found: expect.stringMatching(/ b \(since \S+Z, until \S+Z\)/) });
    for (const { output } of tops) expect(output()).toMatch(/^b +holding back since \d\d:\d\d:\d\dZ /m);

    await fire('stay');
    await seenByAll(tails, 'here to stay');
    await seenByAll(tops, 'DEFAULT/stay');
    b.child.kill('SIGKILL');
    await seenByAll(tails, 'lost');
    await seenByAll(tops, '1 node, 0 running');
    for (const { output } of tops) expect(output()).toMatch(/DEFAULT\/stay .* b /);

    for (const { child } of [...tails, ...tops]) child.kill('SIGINT');
    for (const { ended } of [...tails, ...tops]) {
      const { code, stdout, stderr } = await ended;
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toMatch(CONTROL);
    }
  }, 60_000);
});
