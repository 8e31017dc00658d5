import { Problem } from '../operations/problem';
import { type PageFile, readPageFiles } from './page-files';

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
