import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cronSchedule } from '../../src/api/builders/cron-schedule-builder';
import { freshDist } from '../support/fresh-dist';
import { memoryFolder } from '../support/memory-folder.cjs';
import { COMPILERS, compile } from './support/compilers';
import { DECLARATIONS, MISTAKES, VALID } from './support/mistakes';

const ROOT = resolve(__dirname, '../..');
const MINUTES = 60_000;

const OPTIONS = {
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'ES2022',
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
};

/** Writes a project with these programs, each line as a block. Returns its folder. */
function projectOf(programs: Readonly<Record<string, readonly string[]>>): string {
  const folder = memoryFolder('quartz-types-');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/quartz-ts'));
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  const files = Object.keys(programs).map((name) => `${name}.mts`);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files }));
  for (const [name, lines] of Object.entries(programs)) {
    const blocks = lines.map((line) => `{ ${line} }`);
    writeFileSync(join(folder, `${name}.mts`), [DECLARATIONS, ...blocks].join('\n'));
  }
  return folder;
}

const FIRST_LINE = DECLARATIONS.split('\n').length + 1;

/** Expressions of the golden corpus that the builder accepts. Only the compiler refuses `1-5` as days. */
function validExpressions(): readonly string[] {
  const rows = readFileSync(join(ROOT, 'test/golden/cron.jsonl'), 'utf8').trim().split('\n');
  const expressions = new Set(rows.map((row) => (JSON.parse(row) as { readonly expr: string }).expr));
  return [...expressions].filter((expression) => isValid(expression) && expression.split(/\s+/)[5] !== '1-5');
}

function isValid(expression: string): boolean {
  try {
    cronSchedule(expression);
    return true;
  } catch {
    return false;
  }
}

beforeAll(() => void freshDist(), 2 * MINUTES);

describe.each(COMPILERS)('TypeScript %s', (version, compiler) => {
  const isNewest = version === COMPILERS.at(-1)?.[0];
  const expressions = isNewest ? validExpressions() : [];
  let reported: ReadonlyMap<string, string>;

  beforeAll(() => {
    const mistakes = MISTAKES.map(([, program]) => program);
    const corpus = expressions.map((expression) => `cronSchedule(${JSON.stringify(expression)});`);
    const folder = projectOf({ mistakes, valid: VALID, corpus });
    reported = compile(compiler(), folder);
  }, 2 * MINUTES);

  it('refuses each mistake, and names it in the first line of the error', () => {
    const missed = MISTAKES.map(([name, , expected], index) => {
      const message = reported.get(`mistakes:${FIRST_LINE + index}`) ?? '(compiles)';
      return expected.test(message) ? null : `${name}: ${message.slice(0, 300)}`;
    });
    expect(missed.filter((each) => each !== null)).toEqual([]);
  });

  it('accepts valid options, also long expressions, large sets and unknown texts', () => {
    const refused = VALID.map((program, index) => [program.slice(0, 100), reported.get(`valid:${FIRST_LINE + index}`)]);
    expect(refused.filter(([, message]) => message !== undefined)).toEqual([]);
  });

  if (!isNewest) return;
  it('accepts each expression of the golden corpus that the parser accepts', () => {
    expect(expressions.length).toBeGreaterThan(400);
    expect([...reported].filter(([place]) => place.startsWith('corpus:'))).toEqual([]);
  });
});
