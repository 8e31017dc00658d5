import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

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

/** Imports from this package in the examples of each page, including types. */
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

/** Names that each entry point exports, including types. test/architecture/rules/exports.ts compares this list with the sources. */
const exported = new Set(
  readFileSync(join(ROOT, 'test/api/exports.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replace(/ (type|value) /, ' ')),
);

const isExported = (entry: string, name: string) => exported.has(`${entry === '.' ? 'index' : entry.slice(2)} ${name}`);

describe('imports in documents', () => {
  const known = [...new Set(imports.map(({ entry }) => entry))];

  it('use more than three entry points', () => {
    expect(imports.length).toBeGreaterThan(40);
    expect(known.length).toBeGreaterThan(3);
  });

  it('are exported by the package', () => {
    expect(known.filter((entry) => !Object.hasOwn(entries, entry))).toEqual([]);
    const missing = imports.flatMap(({ page, entry, names }) =>
      names.filter((name) => !isExported(entry, name)).map((name) => `${page}: ${name} of ${entry}`),
    );
    expect(missing).toEqual([]);
  });
});
