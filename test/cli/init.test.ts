import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program';
import { startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';
import { memoryOutput } from '../support/memory-output';
import { proves } from '../support/proves';

describe('init', () => {
  let folder: string;

  beforeAll(() => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-init-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function quartz(...args: readonly string[]) {
    const { output, stdout } = memoryOutput();
    return { code: await runProgram(args, { output, env: {}, folder }), stdout: stdout() };
  }

  it('writes a project whose jobs fire, prints colours only if enabled, and overwrites nothing', async () => {
    proves('command-line', 'init', 'init --json', 'tail --json', 'NO_COLOR', 'FORCE_COLOR');
    const { code, stdout } = await quartz('init', '--json');
    const files = ['quartz.yaml', 'schedule.yaml', 'jobs.mjs'].map((name) => join(folder, name));
    expect([code, JSON.parse(stdout)]).toEqual([0, { files }]);
    expect((await quartz('validate', join(folder, 'quartz.yaml'))).code).toBe(0);
    const validate = (env: Readonly<Record<string, string>>) =>
      startCli(['cron', 'validate', '0 0 6 * * ?'], folder, { FORCE_COLOR: '1', ...env }).ended;
    const schedule = readFileSync(files[1] as string, 'utf8');
    writeFileSync(files[1] as string, schedule.replace("'0/5 * * * * ?'", "'* * * * * ?'"));
    const run = startCli(['run', '--config', 'quartz.yaml', '--jobs', './jobs.mjs'], folder);
    const [plain, coloured] = await Promise.all([
      validate({ NO_COLOR: '1' }),
      validate({ NO_COLOR: '' }),
      run.seen('fired   DEFAULT/hello'),
    ]);
    expect(plain.stdout).toBe('valid: 0 0 6 * * ?\n');
    expect(coloured.stdout).toContain('\u001b[32mvalid:');
    const tail = startCli(['tail', 'hello', '--json'], folder);
    await tail.seen('"type":"ended"');
    tail.child.kill('SIGINT');
    const lines = (await tail.ended).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'ended', outcome: 'succeeded', job: { group: 'DEFAULT', name: 'hello' } }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ type: 'line', message: 'hello world' }));
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error') });
    const before = files.map((file) => readFileSync(file, 'utf8'));
    expect(await quartz('init', folder)).toMatchObject({ code: 10 });
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });
});
