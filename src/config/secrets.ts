const SECRET_NAME = /pass|pwd|secret|token|credential|(api|access|private)[-_]?key$/i;

/** Whether a key or variable of that name holds something that must never be shown. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * `mysql://user:password@host` as `mysql://***@host`, `user:password@host` as `***@host`: of what may hold a login, nothing
 * before the last `@` is shown but the scheme, since a password may hold anything. `…?password=x` without x.
 */
export function withoutCredentials(text: string): string {
  return withoutLogin(text).replace(/\b(password|passwd|pwd|secret|token)=[^&;]*/gi, '$1=***');
}

/** Searches from the ends: a pattern such as `//.*@` takes the square of a text of many slashes. */
function withoutLogin(text: string): string {
  const at = text.lastIndexOf('@');
  const login = text.slice(0, Math.max(0, at));
  if (!login.includes(':') && !login.includes('//')) return text;
  const [scheme = ''] = /^(?:jdbc:)?(?:(?:mysql|mariadb|sqlite|https?):)?(?:\/\/)?/i.exec(text) ?? [];
  return `${scheme}***${text.slice(at)}`;
}
