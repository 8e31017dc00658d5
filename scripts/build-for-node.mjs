/**
 * The modules that Node loads: the output of tsc, put together in a few files. A program that fires its first trigger needs 300 modules of ours, and
 * finding and compiling them one by one takes longer than all else that it does. docs/adr/0047 says why, and what it gains.
 *
 * Packages stay outside, so that the lock file of the application decides their versions. The exception is zod, without the 50 languages of its messages.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';

const SOURCES = resolve('src');
/** The roots of each file. It contains what they import too, unless an earlier file does. */
const FILES = [
  { name: 'zod', roots: /node_modules\/zod\// },
  { name: 'package', roots: /\/src\/index\.ts$/ },
  {
    name: 'scheduler',
    roots:
      /\/src\/(scheduler\/(assemble|wire-scheduler)|store\/memory\/memory-job-store|(base\/(?!expected-by)|domain\/|store\/)[a-z-]+)\.ts$/,
  },
  { name: 'database', roots: /\/src\/(scheduler\/node\/threaded-store-node|cluster\/cluster-clock)\.ts$/ },
  { name: 'configuration', roots: /\/src\/config\/resolve-config\.ts$/ },
  { name: 'definitions', roots: /\/src\/definitions\/(parse-schedule-file|write-entries)\.ts$/ },
  { name: 'metrics', roots: /\/src\/operations\/metrics\/(collect|loop-lag)\.ts$/ },
  { name: 'operations', roots: /\/src\/operations\/operations\.ts$/ },
  { name: 'sql', roots: /\/src\/scheduler\/node\/sql-store-node\.ts$/ },
];
const PROGRAMS = ['index', 'testing', 'console', 'opentelemetry', 'cli/main'];
/** The program of `quartz demo`, as its command requires it. It uses the package as any other program does. */
const DEMO = '../../demo/run-demo';
/** Programs of threads. They share no object with the other modules, and files of their own contain only what they need. */
const THREADS = ['scheduler/node/store-thread-entry', 'engine/job-thread-entry'];

/** Writes the entry points, the command, and the programs of the threads. */
export async function buildForNode(folder) {
  await write(folder, {
    entries: PROGRAMS,
    chunks: 'chunks',
    files: FILES,
    isShort: (file) => file === 'chunks/zod.js',
  });
  copyFileSync('node_modules/zod/LICENSE', `${folder}/chunks/zod.LICENSE.txt`);
  for (const thread of THREADS)
    await write(folder, { entries: [thread], chunks: dirname(thread), files: [], isShort: () => true });
}

async function write(folder, { entries, chunks, files, isShort }) {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    platform: 'node',
    external: (id) => id === DEMO || (!id.startsWith('.') && !isAbsolute(id) && !/^zod(\/|$)/.test(id)),
    plugins: [placesOfModules(chunks.split('/').length), oneLanguage()],
    checks: { ineffectiveDynamicImport: false }, // a file may load a module at once that another one loads later
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'cjs',
    exports: 'named',
    esModule: true,
    strict: true,
    keepNames: true, // an error's name is that of its class
    comments: { legal: true, annotation: false, jsdoc: false }, // editors show those of the types
    generatedCode: { symbols: false },
    entryFileNames: '[name].js',
    chunkFileNames: `${chunks}/[name].js`,
    codeSplitting: { groups: files.map(({ name, roots }, at) => ({ name, test: roots, priority: files.length - at })) },
  });
  await bundle.close();
  for (const { fileName, code } of output)
    if (isShort(fileName)) writeFileSync(join(folder, fileName), shortened(code));
}

/**
 * Code without white space and with short names of local variables. Functions and classes keep their names. Not for the other files: Node prints the
 * whole line of an uncaught error, and people look up positions in a stack trace by line.
 */
function shortened(code) {
  const settings = {
    compress: false,
    mangle: { toplevel: false, keepNames: true },
    codegen: { removeWhitespace: true },
  };
  return minifySync('chunk.cjs', code, settings).code;
}

/** Paths of modules as tsc would place them: files outside of the build are found from there. `depth`: folders between the chunks and `dist`. */
function placesOfModules(depth) {
  return {
    name: 'places-of-modules',
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !/\b__(dirname|filename)\b/.test(code)) return null;
      const file = relative(SOURCES, id).replace(/\.ts$/, '.js');
      const placed = (path) => `(__dirname + '${'/..'.repeat(depth)}/${path}')`;
      return code.replace(/\b__dirname\b/g, placed(dirname(file))).replace(/\b__filename\b/g, placed(file));
    },
  };
}

/** Leaves out the languages of zod's messages, except English. */
function oneLanguage() {
  return {
    name: 'one-language',
    load: (id) => (/\/zod\/v4\/locales\/index\.js$/.test(id) ? "export { default as en } from './en.js';" : null),
  };
}
