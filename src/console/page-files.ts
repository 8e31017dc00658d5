import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The page as scripts/build-console.mjs left it beside this module, by name: `index.html`, `assets/main-….js`. Read as a whole, so that no
 * request names a file of the disk. Null: it was not built.
 */
export function readPageFiles(folder: string = __dirname): ReadonlyMap<string, PageFile> | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  const names = ['index.html', ...readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)];
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      return type === undefined ? [] : [[name, { type, text: readFileSync(join(folder, name), 'utf8') }] as const];
    }),
  );
}
