import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { transformSync } from '@swc/core';
import { pino } from 'pino';
import { createScheduler } from '../../src';
import { hashToken } from '../../src/base/secret-hash';
import { runProgram } from '../../src/cli/program';
import { readYaml } from '../../src/config/read-yaml';
import { resolveDocument } from '../../src/config/resolve-config';
import { parseScheduleFile } from '../../src/definitions/parse-schedule-file';
import { folderWithPackage } from '../support/folder-with-package';
import { memoryOutput } from '../support/memory-output';

const ROOT = resolve(__dirname, '../..');
const GUIDES = join(ROOT, 'docs/guides');

interface Block {
  readonly name: string;
  readonly language: string;
  readonly text: string;
}

const documents = [...readdirSync(GUIDES).map((guide) => join('guides', guide)), 'coming-from.md'];

const blocks: readonly Block[] = documents.flatMap((document) =>
  [...readFileSync(join(ROOT, 'docs', document), 'utf8').matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(
    ([, language = '', text = ''], index) => ({ name: `${basename(document)} block ${index + 1}`, language, text }),
  ),
);

/** Programs, each with its output in the guide. */
const programs = blocks.flatMap((block, index) =>
  block.language === 'ts' ? [{ ...block, printed: blocks[index + 1] as Block }] : [],
);

const toJavaScript = (text: string) =>
  transformSync(text, { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } }).code;

/** Runs programs one after the other, each to its end, and writes a NUL after the output of each. */
const RUNNER = `import { writeSync } from 'node:fs';
for (const file of process.argv.slice(2)) {
  await import(file);
  writeSync(1, '\\0');
}`;

/** A folder in which the package is installed. */
let folder: string;
/** Output of each program. One process runs all of them, and ends by itself only if each program stops everything that it started. */
let printedBy: ReadonlyMap<string, string | undefined>;
let end: { readonly status: number | null; readonly stderr: string };

beforeAll(() => {
  folder = folderWithPackage('guides');
  symlinkSync(join(ROOT, 'node_modules/@opentelemetry'), join(folder, 'node_modules/@opentelemetry'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "somebody", "private": true }');
  const files = programs.map(({ name, text }) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.mjs`);
    writeFileSync(file, toJavaScript(text));
    return file;
  });
  writeFileSync(join(folder, 'runner.mjs'), RUNNER);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['runner.mjs', ...files], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 100_000,
  });
  const outputs = stdout.split('\0');
  printedBy = new Map(programs.map(({ name }, index) => [name, outputs[index]]));
  end = { status, stderr };
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the guides', () => {
  it.each(programs)('$name (a program) prints the documented output', ({ name, printed }) => {
    expect(printed.language).toBe('text');
    expect(printedBy.get(name)).toBe(printed.text);
  });

  it('contain only programs that end by themselves', () => {
    expect(end).toEqual({ status: 0, stderr: expect.any(String) });
  });

  it.each(
    blocks.filter(({ language }) => language === 'console'),
  )('$name (a command) prints the documented output', async ({ text }) => {
    const [command = '', ...printed] = text.split('\n');
    const [program = '', ...words] = (command.match(/'[^']*'|\S+/g) ?? [])
      .slice(1)
      .map((word) => word.replaceAll("'", ''));
    expect(program).toBe('quartz');
    const { output, stdout, stderr } = memoryOutput();
    await runProgram(words, { output, env: {}, folder });
    expect(stdout() + stderr()).toBe(printed.join('\n'));
  });

  const isConsole = ({ text }: Block) => text.startsWith('console:');

  it.each(blocks.filter(isConsole))('$name is a valid console configuration', ({ name, text }) => {
    const env = {
      DEPLOY_TOKEN_HASH: hashToken('a token'),
      ANN_PASSWORD_HASH: `scrypt:2:1:1:saltsalt:${'0'.repeat(64)}`,
    };
    const { config } = resolveDocument(readYaml(text, `/etc/${name}.yaml`), env);
    expect(Object.keys({ ...config.console.tokens, ...config.console.users })).toEqual(['deploy', 'ann']);
    expect(config.console).toMatchObject({ port: 8080, host: '0.0.0.0', tls: { cert: '/etc/tls/cert.pem' } });
  });

  const isSchedule = ({ text }: Block) => text.startsWith('# schedule.yaml');

  it.each(blocks.filter(isSchedule))('$name is a valid schedule file', async ({ name, text }) => {
    const { changes } = await parseScheduleFile(text, `${name}.yaml`, { timeZone: 'UTC', now: 0 });
    expect(changes.length).toBeGreaterThan(1);
  });

  it.each(
    blocks.filter(
      (block) => ['yaml', 'properties'].includes(block.language) && !isSchedule(block) && !isConsole(block),
    ),
  )('$name is a valid configuration', async ({ name, language, text }) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.${language}`);
    writeFileSync(file, text);
    const scheduler = await createScheduler(file, { logger: pino({ level: 'silent' }) });
    expect(scheduler.getSchedulerName()).toBe('Reports');
    expect(scheduler.getListenerManager().getJobListener('history')).not.toBeNull();
    await scheduler.shutdown();
  });

  it.each(blocks.filter(({ language }) => language === 'yml'))('$name is a valid database configuration', ({
    name,
    text,
  }) => {
    const { config, warnings } = resolveDocument(readYaml(text, `${name}.yaml`), {});
    expect(config.jobStore.sql?.dataSource.url).toMatch(/^(mysql|sqlite):/);
    expect(warnings).toEqual([]);
  });

  it('contain at least eight programs', () => {
    expect(programs.length).toBeGreaterThan(7);
  });
});
