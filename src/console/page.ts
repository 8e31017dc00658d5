import { Problem } from '../operations/problem';
import { type PageFile, readPageFiles } from './page-files';

/** Content security policy of the page: only its own files, no inline code, no embedding in frames. */
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

/** Serves the page's files. */
export class Page {
  readonly #folder: string | undefined;
  #files: ReadonlyMap<string, PageFile> | null = null;

  /** `folder`: folder of the built page. Default: next to the compiled console. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** Returns the page, which is never cached because it names the current files. Throws NOT_BUILT. */
  index(): Response {
    return respond(this.#file('index.html'), 'no-store');
  }

  /** Returns a file whose name contains a hash of its content, so it can be cached without limit. Throws NO_SUCH_PATH or NOT_BUILT. */
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
