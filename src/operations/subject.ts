import type { Operation } from './operation';

/** What an operation is done to, as a short text: `DEFAULT/nightly`, a node; empty: the scheduler. */
export function subjectOf({ http }: Pick<Operation, 'http'>, input: Readonly<Record<string, unknown>>): string {
  const names = [...http.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const shown = names.length > 0 ? names : ['group', 'name'];
  return shown
    .map((name) => input[name])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join('/');
}
