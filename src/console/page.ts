import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Problem } from '../operations/problem';

/** Content security policy of the page. Allows only the page's own files, and forbids inline code and frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export class Page {
  readonly #folder: string | undefined;
  #files: ReadonlyMap<string, PageFile> | null = null;

  /** `folder` contains the built page. Default: next to the compiled console. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** Returns the page. It must not be cached, because it names the current assets. Throws NOT_BUILT if the page was not built. */
  index(): Response {
    return respond(this.#file('index.html'), 'no-store');
  }

  /** Returns an asset, cached for a year, because its name contains a hash of its content. Throws NO_SUCH_PATH, or NOT_BUILT without a built page. */
  asset(name: string): Response {
    return respond(this.#file(`assets/${name}`), 'public, max-age=31536000, immutable');
  }

  #file(name: string): PageFile {
    this.#files ??= readPageFiles(this.#folder);
    if (this.#files === null) {
      throw new Problem(
        'NOT_BUILT',
        'The console page is missing from this build. Run `npm run build`. The API under api/ works without it.',
      );
    }
    const file = this.#files.get(name);
    if (file === undefined) throw new Problem('NO_SUCH_PATH', 'The console page has no file with this name.');
    return file;
  }
}

function respond({ type, text }: PageFile, caching: string): Response {
  return new Response(text, {
    headers: { 'content-type': type, 'cache-control': caching, 'content-security-policy': POLICY },
  });
}

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
