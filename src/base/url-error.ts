import { withoutCredentials } from './secrets';

/** Problem of a URL. Neither text contains credentials. */
export interface UrlProblem {
  readonly expected: string;
  readonly found: string;
}

export class UrlError extends Error implements UrlProblem {
  readonly expected: string;
  readonly found: string;

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`);
    this.name = 'UrlError';
    this.expected = expected;
    this.found = found;
  }
}

/** Maximum length of a URL in a message. */
const MAX_SHOWN = 120;

/** Returns a URL or a part of it in quotes, without credentials and control characters. */
export function shownUrl(url: string): string {
  const safe = withoutCredentials(url).replace(/[\p{Cc}\u2028\u2029]/gu, '\ufffd');
  return `'${safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN - 3)}...` : safe}'`;
}
