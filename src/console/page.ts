import { Problem } from '../operations/problem';
import { type PageFile, readPageFiles } from './page-files';

/** Nothing but its own files, nothing inside the text of the page, and nobody's frame. */
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

/** The page's files over HTTP. */
export class Page {
  readonly #folder: string | undefined;
  #files: ReadonlyMap<string, PageFile> | null = null;

  /** `folder`: where it was built to; undefined: beside the compiled console. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** The page itself, which names the present files: asked for each time. Throws NOT_BUILT. */
  index(): Response {
    return respond(this.#file('index.html'), 'no-store');
  }

  /** A file whose name is of its content: it never changes. Throws NO_SUCH_PATH or NOT_BUILT. */
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
    if (file === undefined) throw new Problem('NO_SUCH_PATH', 'The page has no such file.');
    return file;
  }
}

function respond({ type, text }: PageFile, caching: string): Response {
  return new Response(text, {
    headers: { 'content-type': type, 'cache-control': caching, 'content-security-policy': POLICY },
  });
}
