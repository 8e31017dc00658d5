import { canonicalClass } from './class-names';
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

const PREFIX = 'org.quartz.';

/** Every key of a document that holds a value, dotted. `problems` is told of keys given twice in different forms. */
export function entriesOf(document: SourceDocument, problems: Problem[]): readonly ConfigEntry[] {
  const entries = new Map<string, ConfigEntry>();
  for (const path of leafPaths(document, document.data, [])) {
    const dotted = path.join('.');
    const key = dotted.startsWith(PREFIX) ? dotted.slice(PREFIX.length) : dotted;
    if (key.split('.').includes('__proto__')) {
      problems.push(problemAt(document, { path, at: 'key', expected: 'a known key', found: quoted(key) }));
    } else if (entries.has(key)) {
      const message = `expected each key once, found ${quoted(key)} again in another form`;
      problems.push(problemAt(document, { path, at: 'key', message }));
    } else entries.set(key, { key, value: valueAt(document.data, path), path, secret: false });
  }
  return [...entries.values()];
}

/** Java class names and old words become ours. */
export function withCanonicalClasses(entries: readonly ConfigEntry[]): readonly ConfigEntry[] {
  return entries.map((entry) => ({ ...entry, value: canonicalClass(entry.key, entry.value) }));
}

function leafPaths(document: SourceDocument, value: unknown, path: readonly string[]): readonly (readonly string[])[] {
  if (path.length > MAX_NESTING) {
    const message = `expected at most ${MAX_NESTING} nested levels, found more (does the object contain itself?)`;
    throw new ConfigurationError([problemAt(document, { path: path.slice(0, 8), message })]);
  }
  if (!isPlainObject(value) || (path.length > 0 && Object.keys(value).length === 0)) return [path];
  return Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .flatMap(([key, child]) => leafPaths(document, child, [...path, key]));
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[String(key)], data);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
