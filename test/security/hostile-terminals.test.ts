import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobExecutionContext, Scheduler } from '../../src/api/scheduler';
import { runProgram } from '../../src/cli/program';
import { newJob } from '../../src/index';
import type { Operation } from '../../src/operations/operation';
import { allOperations } from '../../src/operations/operations';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { memoryOutput } from '../support/memory-output';
import { until } from '../support/until';

/** Contains a C1 control sequence, a colour, a bell, and bidirectional overrides and isolates. */
const EVIL = 'x\u009b2J\u001b[31m\u0007\u0085\u202egpj.\u2066y\u200f';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const JOBS = {
  fails: async ({ log }: JobExecutionContext) => {
    log.info(`line ${EVIL}`, { [EVIL]: EVIL });
    throw new Error(`error ${EVIL}`);
  },
  stays: async ({ log, progress, signal }: JobExecutionContext) => {
    log.warn(`line ${EVIL}`);
    progress(0.5, `progress ${EVIL}`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  },
};

describe('control characters in stored text', () => {
  let folder: string;
  let config: string;
  let scheduler: Scheduler;
  const file = () => join(folder, 's.yaml');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-terminal-'));
    const jobStore = { class: 'sqlite', path: join(folder, 'terminal.db'), storeThread: false, history: 'all' };
    const settings = { instanceName: 'S', logLevel: 'silent' };
    scheduler = await createScheduler({ scheduler: settings, jobStore } as never, { jobs: JOBS });
    config = join(folder, 'quartz.yaml');
    writeFileSync(config, `scheduler: { instanceName: S }\njobStore: { class: sqlite, path: ${jobStore.path} }\n`);
    for (const type of ['fails', 'stays'] as const) {
      const job = newJob(type).withIdentity(`${type} ${EVIL}`, EVIL).withDescription(EVIL).storeDurably();
      await scheduler.addJob(job.usingJobData({ [EVIL]: EVIL }).build());
      await scheduler.triggerJob({ name: `${type} ${EVIL}`, group: EVIL });
    }
    await scheduler.start();
    await until(
      async () => [(await scheduler.listRuns()).items.length, (await scheduler.listExecutingJobs()).length],
      ([runs, running]) => runs === 1 && running === 1,
    );
    await scheduler.pauseJob({ name: `stays ${EVIL}`, group: EVIL }, { reason: EVIL });
  });
  afterAll(async () => {
    await scheduler.shutdown({ waitForJobs: false });
    rmSync(folder, { recursive: true });
  });

  /** Stored keys, so that the output contains the texts, and unknown keys, so that errors contain them. */
  async function inputsOf({ http }: Operation): Promise<readonly (readonly string[])[]> {
    if (http.path.includes(':runId'))
      return [...(await scheduler.listRuns()).items, ...(await scheduler.listExecutingJobs())].map(({ runId }) => [
        runId,
      ]);
    if (http.path.startsWith('/jobs/:group')) return [[`${EVIL}/fails ${EVIL}`], [EVIL]];
    return [[EVIL]];
  }

  const READING = allOperations().filter(([, { effect }]) => effect === 'reads');

  it.each(READING)('are not printed by %s', async (_, operation) => {
    const { words, arguments: positions = [], textField } = operation.command;
    writeFileSync(file(), JSON.stringify({ jobs: [{ name: EVIL, type: 'fails', durable: true, description: EVIL }] }));
    for (const input of await inputsOf(operation)) {
      const given = textField === undefined ? positions.map((_position, index) => input[index] ?? '2026') : [file()];
      for (const json of [[], ['--json']]) {
        const { output, stdout, stderr } = memoryOutput();
        await runProgram([...words, ...json, '--config', config, '--', ...given], { output, env: {}, folder });
        const text = stdout() + stderr();
        expect(text).not.toBe('');
        expect(RAW.exec(text)).toBeNull();
      }
    }
  });

  it('are replaced with a mark', async () => {
    const printed: string[] = [];
    for (const words of [
      ['jobs', 'list'],
      ['runs', 'list'],
      ['firings', 'list'],
    ]) {
      const { output, stdout } = memoryOutput();
      await runProgram([...words, '--config', config], { output, env: {}, folder });
      printed.push(stdout());
    }
    expect(printed.join('')).toContain('x\ufffd2J\ufffd[31m\ufffd\ufffd\ufffdgpj.\ufffdy\ufffd');
  });
});
