const SECRET_NAME = /pass|pwd|secret|token|credential|(api|access|private)[-_]?key$/i;

/** Whether a key or variable of that name holds something that must never be shown. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** `mysql://user:password@host` as `mysql://***@host`, up to the last `@` since a password may hold anything; `…?password=x` without x. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/.*@/gs, '//***@').replace(/\b(password|pwd|secret|token)=[^&;]*/gi, '$1=***');
}
