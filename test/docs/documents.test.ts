import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const files = ['src', 'test', 'docs', 'sql', 'scripts', 'bench', 'demo', 'web/src', 'examples', 'config'].flatMap(
  filesIn,
);
const pages = [...readdirSync(ROOT), ...['docs', 'src', 'test', 'bench'].flatMap(filesIn)].filter((file) =>
  file.endsWith('.md'),
);

describe('documents', () => {
  it.each(pages)('%s links only to existing files', (page) => {
    const targets = [...textOf(page).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    const local = targets.filter((target) => !/^https?:/.test(target));
    expect(local.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });

  it.each(pages)('%s names only existing files', (page) => {
    const named = [...textOf(page).matchAll(/`([\w-]+(?:\/[\w.-]+)+\.(?:[cm]?[jt]sx?|sql|md))`/g)].map(
      ([, path]) => path,
    );
    expect(named.filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`)))).toEqual([]);
  });

  it.each(
    pages.filter((page) => page === 'ARCHITECTURE.md' || page.startsWith('docs/adr/')),
  )('%s names source files that exist', (page) => {
    const sources = new Set(['src', 'web/src', 'scripts', 'bench'].flatMap(filesIn).map((file) => basename(file)));
    const named = [...textOf(page).matchAll(/`([\w-]+\.(?:tsx?|mjs))`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !sources.has(name))).toEqual([]);
  });

  it('ARCHITECTURE.md names only existing functions and files', () => {
    const page = textOf('ARCHITECTURE.md');
    const sources = filesIn('src').filter((file) => file.endsWith('.ts'));
    const code = sources.map(textOf).join('\n');
    const names = page.match(/\b[a-z]+[A-Z]\w+\b/g) ?? [];
    expect(names.filter((name) => !code.includes(name))).toEqual([]);
    const paths =
      page.match(
        /\b(?:base|domain|api|store|workers|events|config|engine|cluster|plugins|scheduler|cli)\/[\w/-]+\.ts\b/g,
      ) ?? [];
    expect(paths.filter((path) => !sources.includes(`src/${path}`))).toEqual([]);
    expect(names.length + paths.length).toBeGreaterThan(30);
  });
});
