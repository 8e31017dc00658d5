const SECRET_NAME = /pass|pwd|secret|token|credential|(api|access|private)[-_]?key$/i;

/** The name of a parameter with its `=`. Looks at each run of letters once: texts may be long. */
const PARAMETER = /(?<![^?&;=\s])([^?&;=\s]+)=/g;

/** Whether a key or variable of that name holds something that must never be shown. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * `mysql://user:password@host` as `mysql://***@host`, `user:password@host` as `***@host`, `…?user=a&password=x&b=1` as
 * `…?user=a&password=***`. A password may hold anything: nothing is shown before the last `@` of what may hold a login but the scheme,
 * and nothing after the name of the first parameter that is a secret.
 */
export function withoutCredentials(text: string): string {
  return withoutSecretParameters(withoutLogin(text));
}

/** Searches from the ends: a pattern such as `//.*@` takes the square of a text of many slashes. */
function withoutLogin(text: string): string {
  const at = text.lastIndexOf('@');
  const login = text.slice(0, Math.max(0, at));
  if (!login.includes(':') && !login.includes('//')) return text;
  const [scheme = ''] = /^(?:jdbc:)?(?:(?:mysql|mariadb|sqlite|https?):)?(?:\/\/)?/i.exec(text) ?? [];
  return `${scheme}***${text.slice(at)}`;
}

function withoutSecretParameters(text: string): string {
  for (const { 0: found, 1: name = '', index } of text.matchAll(PARAMETER)) {
    if (isSecretName(name)) return `${text.slice(0, index + found.length)}***`;
  }
  return text;
}
