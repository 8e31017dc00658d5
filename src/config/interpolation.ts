import { isSecretName } from '../base/secrets';
import { type ConfigEntry, withoutPrefix } from './dotted-keys';
import { nearestName } from './nearest-name';
import { type Problem, problemAt } from './problem';
import type { Environment } from './scheduler-config';
import { quoted, type SourceDocument } from './source-document';

interface Interpolation {
  readonly document: SourceDocument;
  readonly env: Environment;
  readonly problems: Problem[];
}

/** Fills in `${NAME}` and `${NAME:-default}` from the environment, in every text. `$${` stands for `${` itself. */
export function withEnvironment(entries: readonly ConfigEntry[], parts: Interpolation): readonly ConfigEntry[] {
  return entries.map((entry) => {
    const texts = Array.isArray(entry.value) ? entry.value : [entry.value];
    const secret = texts.some((text) => typeof text === 'string' && variablesIn(text).some(isSecretName));
    const filled = texts.map((text) => (typeof text === 'string' ? fill(text, entry, parts) : text));
    return { ...entry, value: Array.isArray(entry.value) ? filled : filled[0], secret: entry.secret || secret };
  });
}

const VARIABLE = /\$(\$)?\{([^{}]*)\}/g;

function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)]
    .filter(([, escaped]) => escaped === undefined)
    .map(([, , inside = '']) => inside.split(':-')[0] ?? '');
}

function fill(text: string, { path }: ConfigEntry, { document, env, problems }: Interpolation): string {
  return text.replace(VARIABLE, (whole: string, escaped: string | undefined, inside: string) => {
    if (escaped !== undefined) return whole.slice(1);
    const [, name = '', fallback] = /^([A-Za-z_][\w.]*)(?::-(.*))?$/s.exec(inside) ?? [];
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    const message =
      name === ''
        ? `expected \${NAME} or \${NAME:-default}, found something else in the braces; write $\${ for the text itself`
        : `expected the environment variable ${name} to be set, found it missing; set it, or write \${${name}:-default}`;
    problems.push(problemAt(document, { path, message }));
    return '';
  });
}

/** Replaces values `$@other.key` by the value of that key. A key that only serves as such a source is no part of the configuration. */
export function withReferences(
  entries: readonly ConfigEntry[],
  { document, problems, isKnown }: Omit<Interpolation, 'env'> & { readonly isKnown: (key: string) => boolean },
): readonly ConfigEntry[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const sources = new Set(entries.flatMap((entry) => referenceIn(entry.value) ?? []));
  const endOf = follower(byKey);
  return entries
    .filter((entry) => isKnown(entry.key) || !sources.has(entry.key))
    .flatMap((entry) => {
      const source = endOf(entry);
      if (source === entry) return [entry];
      if (typeof source !== 'string')
        return [{ ...entry, value: source.value, secret: entry.secret || source.secret || isSecretName(source.key) }];
      const isCircle = byKey.has(source);
      const found = isCircle ? `a circle through ${quoted(source)}` : quoted(source);
      const suggestion = isCircle ? null : nearestName(source, byKey.keys());
      const expected = 'after $@ the name of another key';
      problems.push(problemAt(document, { path: entry.path, expected, found, suggestion }));
      return [];
    });
}

function referenceIn(value: unknown): string | null {
  if (typeof value !== 'string' || !value.startsWith('$@')) return null;
  return withoutPrefix(value.slice(2).trim());
}

/**
 * Finds the entry at the end of a chain of references; a text names the key where the chain breaks, or one through which it runs in a
 * circle. Each entry is passed once, however many lead to it.
 */
function follower(byKey: ReadonlyMap<string, ConfigEntry>): (entry: ConfigEntry) => ConfigEntry | string {
  const ends = new Map<ConfigEntry, ConfigEntry | string>();
  return (entry) => {
    const passed = new Set<ConfigEntry>();
    let current = entry;
    let end = ends.get(current);
    while (end === undefined) {
      passed.add(current);
      const next = referenceIn(current.value);
      const target = next === null ? undefined : byKey.get(next);
      if (next === null) end = current;
      else if (target === undefined || passed.has(target)) end = next;
      else {
        current = target;
        end = ends.get(target);
      }
    }
    for (const each of passed) ends.set(each, end);
    return end;
  };
}
