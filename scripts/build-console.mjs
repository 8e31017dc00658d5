/**
 * The console's page: web/ to dist/console/. Everything has a relative address, so that it works below any path, and a name with a
 * hash, so that a browser may keep it for ever. Reads build/operations for the routes: to be run after tsc.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** What a browser loads before it shows anything, compressed. */
const MAX_KILOBYTES = 80;

export async function buildConsole(folder) {
  const { outputFiles } = await build({
    entryPoints: ['web/src/main.tsx', 'web/icon.svg'],
    bundle: true,
    minify: true,
    format: 'esm',
    // The first ones with light-dark(), of spring 2024.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    entryNames: '[name]-[hash]',
    outdir: join(folder, 'assets'),
    legalComments: 'none',
    tsconfig: 'web/tsconfig.json',
    write: false,
    plugins: [routes()],
  });
  mkdirSync(join(folder, 'assets'), { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const file = (extension) => {
    const found = outputFiles.find(({ path }) => path.endsWith(extension));
    return `./assets/${basename(found.path)}`;
  };
  const html = readFileSync('web/index.html', 'utf8')
    .replace('SCRIPT', file('.js'))
    .replace('STYLE', file('.css'))
    .replace('ICON', file('.svg'));
  writeFileSync(join(folder, 'index.html'), html);
  checkSize([html, ...outputFiles.map(({ contents }) => contents)]);
}

/** The table of operations as the page needs it: where each is found, and who may do it. */
function routes() {
  return {
    name: 'routes',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^quartz-ts:routes$/ }, ({ path }) => ({ path, namespace: 'routes' }));
      onLoad({ filter: /.*/, namespace: 'routes' }, () => {
        const { routeManifest } = createRequire(import.meta.url)('../build/operations/route-manifest.js');
        return { contents: `export const ROUTES = ${JSON.stringify(routeManifest())};`, loader: 'js' };
      });
    },
  };
}

function checkSize(files) {
  const kilobytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0) / 1_000;
  if (kilobytes >= MAX_KILOBYTES)
    throw new Error(`The console takes ${kilobytes.toFixed(1)} kB compressed; expected less than ${MAX_KILOBYTES}.`);
}
