import type { JsonValue } from '../domain/job-data';
import { ConfigurationError, type Problem, problemAt } from './problem';
import { MAX_NESTING, type Path, quoted, type SourceDocument } from './source-document';

/** One key of a configuration, however it was nested in its file. */
export interface ConfigEntry {
  /** Dotted, without `org.quartz.`: `threadPool.threadCount`. */
  readonly key: string;
  readonly value: unknown;
  /** Where it stands in its document. */
  readonly path: Path;
  /** The value came from somewhere that must not be shown. */
  readonly secret: boolean;
}

/** The prefix that every key may have. */
const PREFIX = /^org\.quartz\./;

/** A key without `org.quartz.` in front. */
export function withoutPrefix(key: string): string {
  return key.replace(PREFIX, '');
}

/** Every key of a document that holds a value, dotted. Adds to `problems` the keys that are given twice in different forms. */
export function entriesOf(document: SourceDocument, problems: Problem[]): readonly ConfigEntry[] {
  const entries = new Map<string, ConfigEntry>();
  for (const { path, value } of leavesOf(document, document.data, [])) {
    const key = withoutPrefix(path.join('.'));
    if (key.split('.').includes('__proto__')) {
      problems.push(problemAt(document, { path, at: 'key', expected: 'a known key', found: quoted(key) }));
    } else if (entries.has(key)) {
      const message = `expected each key once, found ${quoted(key)} again in another form`;
      problems.push(problemAt(document, { path, at: 'key', message }));
    } else entries.set(key, { key, value, path, secret: false });
  }
  return [...entries.values()];
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leavesOf(document: SourceDocument, value: unknown, path: readonly string[]): readonly Leaf[] {
  if (path.length > MAX_NESTING) {
    const message = `expected at most ${MAX_NESTING} nested levels, found more (does the object contain itself?)`;
    throw new ConfigurationError([problemAt(document, { path: path.slice(0, 8), message })]);
  }
  if (!isPlainObject(value) || (path.length > 0 && Object.keys(value).length === 0)) return [{ path, value }];
  return Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .flatMap(([key, child]) => leavesOf(document, child, [...path, key]));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

type Branch = { [key: string]: unknown };

/** The entries of a document as one nested document again, in the shape of the schema; every part keeps its place in the text. */
export function treeDocument(
  source: SourceDocument,
  entries: readonly ConfigEntry[],
  problems: Problem[],
): SourceDocument {
  const root: Branch = {};
  const origins = new Map<string, ConfigEntry>();
  for (const entry of entries) {
    // The names of context values may hold dots themselves.
    const [, name] = /^context\.key\.(.+)$/s.exec(entry.key) ?? [];
    const parts = name === undefined ? entry.key.split('.') : ['context', 'key', name];
    if (!insert(root, parts, entry.value)) {
      const message = 'expected either a value or keys below it, found both';
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

/** The first entry that belongs to `path` or its nearest parent, and what of `path` is below that. */
function originOf(origins: ReadonlyMap<string, ConfigEntry>, path: Path) {
  for (let end = path.length; end > 0; end--) {
    const entry = origins.get(path.slice(0, end).join('.'));
    if (entry !== undefined) return { entry, rest: path.slice(end) };
  }
  return null;
}

/** False when a value already stands where keys should go, or the other way round. */
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
