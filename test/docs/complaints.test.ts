import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runProgram } from '../../src/cli/program';
import { folderWithPackage } from '../support/folder-with-package';
import { memoryOutput } from '../support/memory-output';

const DOCS = resolve(__dirname, '../../docs');

interface Row {
  readonly document: string;
  readonly complaint: string;
  readonly lines: readonly string[];
  readonly result: string;
}

/** Rows of the table under "What you suffered from, and what happens here": complaint, answer, and code with its result. */
function rowsOf(document: string): readonly Row[] {
  const section = readFileSync(join(DOCS, document), 'utf8').split(
    '## What you suffered from, and what happens here\n',
  )[1];
  return [...(section?.split('\n## ')[0] ?? '').matchAll(/^\| (“.+”) \| .+ \| (`.+`) \|$/gm)].map(
    ([, complaint = '', cell = '']) => {
      const [code = '', result = ''] = cell.split(' → ');
      return { document, complaint, lines: spansOf(code), result: spansOf(result).join('') };
    },
  );
}

const spansOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);

const rows = ['guides/migrating-from-quartz.md', 'coming-from.md'].flatMap(rowsOf);
const isCommand = ({ lines }: Row) => lines[0]?.startsWith('quartz ') === true;
const programs = rows.filter((row) => !isCommand(row));

/** Runs the lines of each row with a new scheduler. The result is the value of the last line, or the code of the error. */
const RUNNER = `import { readFileSync, writeFileSync } from 'node:fs';
import * as quartz from 'quartz-ts';
import { createTestScheduler } from 'quartz-ts/testing';

const AsyncFunction = (async () => {}).constructor;
const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value)?.replaceAll(',', ', ').replaceAll('":', '": ').replaceAll('"', "'"));
const results = [];
await (await quartz.createScheduler({ database: './jobs.db', scheduler: { logLevel: 'silent' } })).shutdown();
for (const lines of JSON.parse(readFileSync('rows.json', 'utf8'))) {
  const { scheduler, clock, advanceBy, runDue } = await createTestScheduler();
  const scope = { ...quartz, scheduler, clock, advanceBy, runDue, job: async () => {}, hour: 3_600_000 };
  const body = [...lines.slice(0, -1), 'return ' + lines.at(-1)].join(';\\n');
  try {
    results.push(textOf(await new AsyncFunction(...Object.keys(scope), body)(...Object.values(scope))));
  } catch (error) {
    results.push(error.code ?? String(error));
  }
  await scheduler.shutdown();
}
writeFileSync('results.json', JSON.stringify(results));`;

describe('complaints of users of other schedulers', () => {
  let folder: string;
  let results: readonly string[];

  beforeAll(() => {
    folder = folderWithPackage('complaints');
    writeFileSync(join(folder, 'runner.mjs'), RUNNER);
    writeFileSync(join(folder, 'rows.json'), JSON.stringify(programs.map(({ lines }) => lines)));
    const { status, stderr } = spawnSync(process.execPath, ['runner.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 100_000,
    });
    if (status !== 0) throw new Error(`The lines did not run to their end: ${stderr}`);
    results = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as string[];
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are a table of 12 to 16 rows in each document', () => {
    for (const document of new Set(rows.map((row) => row.document))) {
      const count = rows.filter((row) => row.document === document).length;
      expect({ document, isShort: count >= 12 && count <= 16 }).toEqual({ document, isShort: true });
    }
    expect(new Set(rows.map(({ document }) => document)).size).toBe(2);
    for (const { lines } of rows) expect(lines.length).toBeLessThanOrEqual(5);
  });

  it.each(programs)('have the result that $document shows: $complaint', (row) => {
    expect(results[programs.indexOf(row)]).toBe(row.result);
  });

  it.each(rows.filter(isCommand))('have the output that $document shows: $complaint', async ({ lines, result }) => {
    const words = (lines[0]?.match(/'[^']*'|\S+/g) ?? [])
      .slice(1)
      .map((word) => word.replaceAll("'", '').replace('sqlite:', `sqlite:${folder}/`));
    const { output, stdout, stderr } = memoryOutput();
    await runProgram(words, { output, env: {}, folder });
    expect((stdout() + stderr()).replaceAll(/\s+/g, ' ')).toContain(result);
  });
});
