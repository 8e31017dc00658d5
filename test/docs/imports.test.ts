import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from '@typescript/typescript6';

const ROOT = resolve(__dirname, '../..');
const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];
const { exports: entries } = require('../../package.json') as { exports: Readonly<Record<string, unknown>> };

interface Import {
  readonly page: string;
  readonly entry: string;
  readonly names: readonly string[];
}

/** What the examples of a page import from this package, types included. */
const imports: readonly Import[] = pages.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/import (?:type )?\{([^}]*)\} from 'quartz-ts(\/[\w-]+)?'/g)].map(
    ([, names = '', path = '']) => ({
      page,
      entry: `.${path}`,
      names: names.split(',').flatMap(
        (each) =>
          each
            .replace(/^\s*type /, '')
            .split(' as ')[0]
            ?.trim() || [],
      ),
    }),
  ),
);

/** The names that an entry point exports, types included. */
function exportsOf(program: ts.Program, entry: string): readonly string[] {
  const file = program.getSourceFile(sourceOf(entry));
  const checker = program.getTypeChecker();
  const module = file && checker.getSymbolAtLocation(file);
  return module === undefined ? [] : checker.getExportsOfModule(module).map(({ name }) => name);
}

const sourceOf = (entry: string) => join(ROOT, 'src', `${entry === '.' ? 'index' : entry.slice(2)}.ts`);

describe('what documents import', () => {
  const known = [...new Set(imports.map(({ entry }) => entry))];

  it('is found in documents', () => {
    expect(imports.length).toBeGreaterThan(40);
    expect(known.length).toBeGreaterThan(3);
  });

  it('is exported by the package', () => {
    expect(known.filter((entry) => !Object.hasOwn(entries, entry))).toEqual([]);
    const program = ts.createProgram(known.map(sourceOf), { noLib: true, noResolve: false, skipLibCheck: true });
    const exported = new Map(known.map((entry) => [entry, exportsOf(program, entry)]));
    const missing = imports.flatMap(({ page, entry, names }) =>
      names.filter((name) => !exported.get(entry)?.includes(name)).map((name) => `${page}: ${name} of ${entry}`),
    );
    expect(missing).toEqual([]);
    expect(exported.get('.')).not.toContain('createClient'); // would be found: it is used by the page alone
  });
});
