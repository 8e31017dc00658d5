import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

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

/** Reads the files of the built page by name, such as `assets/main-….js`; null if it was not built. Reads all now, so requests reach no others. */
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
