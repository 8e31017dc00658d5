import { isPlainObject } from '../base/is-record';
import { nearestName } from '../base/nearest-name';
import { isSecretName } from '../base/secrets';
import type { JsonValue } from '../domain/job-data';
import { ConfigurationError, type Problem, problemAt } from './problem';
import type { Environment } from './scheduler-config';
import { MAX_NESTING, type Path, quoted, type SourceDocument } from './source-document';

/** A configuration key with its value, independent of whether the file nests its keys or writes them with dots. */
export interface ConfigEntry {
  /** Dotted key without `org.quartz.`, such as `threadPool.threadCount`. */
  readonly key: string;
  readonly value: unknown;
  /** Path of the key's value in the document. */
  readonly path: Path;
  /** True if messages must not show the value: it belongs to an account or a secret key, or contains a secret environment variable. */
  readonly secret: boolean;
}

/** Matches keys whose values are always secret. A value in the wrong form may contain a password. */
const HOLDS_ACCOUNTS = /^console\.(tokens|users)(\.|$)/;

function withoutPrefix(key: string): string {
  return key.replace(/^org\.quartz\./, '');
}

/** Returns the keys of a document that have a value, in dotted form. Reports the key `__proto__`, and any key that occurs both nested and dotted. */
export function entriesOf(document: SourceDocument, problems: Problem[]): readonly ConfigEntry[] {
  const entries = new Map<string, ConfigEntry>();
  for (const { path, value } of leavesOf(document, document.data, [])) {
    const key = withoutPrefix(path.join('.'));
    if (value === undefined) problems.push(problemAt(document, { path, message: undefinedMessage(key) }));
    else if (key.split('.').includes('__proto__')) {
      problems.push(problemAt(document, { path, at: 'key', expected: 'a known key', found: quoted(key) }));
    } else if (entries.has(key)) {
      const message = `expected each key once, found ${quoted(key)} again in another spelling`;
      problems.push(problemAt(document, { path, at: 'key', message }));
    } else entries.set(key, { key, value, path, secret: HOLDS_ACCOUNTS.test(key) });
  }
  return [...entries.values()];
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leavesOf(document: SourceDocument, value: unknown, path: readonly string[]): readonly Leaf[] {
  if (path.length > MAX_NESTING) {
    const message = `expected at most ${MAX_NESTING} nested levels, found more (the object may contain itself)`;
    throw new ConfigurationError([problemAt(document, { path: path.slice(0, 8), message })]);
  }
  if (!isPlainObject(value) || (path.length > 0 && Object.keys(value).length === 0)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(document, child, [...path, key]));
}

/** Matches keys without which the schedule is in memory. */
const NAMES_STORE = /^(database|dataSource|jobStore)(\.|$)/;

/** Message for a key that an object contains without a value, usually because an environment variable is not set. */
function undefinedMessage(key: string): string {
  return `${key} is undefined; leave it out for ${NAMES_STORE.test(key) && !key.includes('.') ? 'memory' : 'its default'}, or give it a value`;
}

interface Interpolation {
  readonly document: SourceDocument;
  readonly env: Environment;
  readonly problems: Problem[];
}

/** Replaces `${NAME}` and `${NAME:-default}` in all string values with environment variables. `$${` produces a literal `${`. */
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
        ? `expected \${NAME} or \${NAME:-default}, found other text between the braces; write $\${ for a literal \${`
        : `expected the environment variable ${name} to be set, but it is not; set it, or write \${${name}:-default}`;
    problems.push(problemAt(document, { path, message }));
    return '';
  });
}

/**
 * Replaces each value `$@other.key` with the value of the other key. Drops other keys that are not configuration keys, because they only supply
 * values. Reports broken and circular references.
 */
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
      const found = isCircle ? `a cycle through ${quoted(source)}` : quoted(source);
      const suggestion = isCircle ? null : nearestName(source, byKey.keys());
      const expected = 'the name of another key after $@';
      problems.push(problemAt(document, { path: entry.path, expected, found, suggestion }));
      return [];
    });
}

export function referenceIn(value: unknown): string | null {
  if (typeof value !== 'string' || !value.startsWith('$@')) return null;
  return withoutPrefix(value.slice(2).trim());
}

/** Returns a function that follows references to their last entry, to the missing key, or to a key in the cycle. Visits each entry once. */
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

type Branch = { [key: string]: unknown };

/** Rebuilds the entries as a nested document that matches the schema. Every value keeps its position in the source text. */
export function treeDocument(
  source: SourceDocument,
  entries: readonly ConfigEntry[],
  problems: Problem[],
): SourceDocument {
  const root: Branch = {};
  const origins = new Map<string, ConfigEntry>();
  for (const entry of entries) {
    // These keys end in a name, which may contain dots.
    const [, section = '', name] =
      /^(context\.key|console\.(?:tokens|users)|jobStore\.historyGroups|(?:jobStore|threadPool)\.groupLimits)\.(.+)$/s.exec(
        entry.key,
      ) ?? [];
    const parts = name === undefined ? entry.key.split('.') : [...section.split('.'), name];
    if (!insert(root, parts, entry.value)) {
      const message = 'expected either a value or nested keys, found both';
      problems.push(problemAt(source, { path: entry.path, at: 'key', message }));
    }
    for (let end = 1; end <= parts.length; end++) {
      const prefix = parts.slice(0, end).join('.');
      if (!origins.has(prefix)) origins.set(prefix, entry);
    }
  }
  return {
    file: source.file,
    data: root as JsonValue,
    position(path, part = 'value') {
      const origin = originOf(origins, path);
      if (origin === null) return source.position([]);
      const { entry, rest } = origin;
      const isMissing = typeof rest[0] === 'string';
      return source.position([...entry.path, ...(isMissing ? [] : rest)], isMissing ? 'key' : part);
    },
    isSecret: (path) => originOf(origins, path)?.entry.secret === true,
  };
}

/** Returns the entry at `path` or at its nearest parent that is an entry, and the rest of `path` below that entry. */
function originOf(origins: ReadonlyMap<string, ConfigEntry>, path: Path) {
  for (let end = path.length; end > 0; end--) {
    const entry = origins.get(path.slice(0, end).join('.'));
    if (entry !== undefined) return { entry, rest: path.slice(end) };
  }
  return null;
}

/** Inserts a value into the tree. Returns false if the path runs through a value, or ends where nested keys exist. */
function insert(root: Branch, parts: readonly string[], value: unknown): boolean {
  let branch = root;
  for (const part of parts.slice(0, -1)) {
    if (!Object.hasOwn(branch, part)) branch[part] = {};
    const next = branch[part];
    if (typeof next !== 'object' || next === null || Array.isArray(next)) return false;
    branch = next as Branch;
  }
  const last = parts.at(-1) ?? '';
  if (Object.hasOwn(branch, last)) return false;
  branch[last] = value;
  return true;
}
