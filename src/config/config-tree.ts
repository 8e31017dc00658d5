import type { JsonValue } from '../domain/job-data';
import type { ConfigEntry } from './config-entries';
import { type Problem, problemAt } from './problem';
import type { Path, SourceDocument } from './source-document';

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
    const parts = partsOf(entry.key);
    if (!insert(root, parts, entry.value)) {
      const message = 'expected either a value or keys below it, found both';
      problems.push(problemAt(source, { path: entry.path, at: 'key', message }));
    }
    for (let end = 1; end <= parts.length; end++) {
      const id = idOf(parts.slice(0, end));
      if (!origins.has(id)) origins.set(id, entry);
    }
  }
  return {
    file: source.file,
    data: root as JsonValue,
    position: (path, part) => positionIn(source, origins, { path, part: part ?? 'value' }),
    isSecret: (path) => originOf(origins, path)?.entry.secret === true,
  };
}

/** The names of context values may hold dots themselves. */
function partsOf(key: string): readonly string[] {
  const [, name] = /^context\.key\.(.+)$/s.exec(key) ?? [];
  return name === undefined ? key.split('.') : ['context', 'key', name];
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

function originOf(origins: ReadonlyMap<string, ConfigEntry>, path: Path) {
  for (let end = path.length; end > 0; end--) {
    const entry = origins.get(idOf(path.slice(0, end)));
    if (entry !== undefined) return { entry, rest: path.slice(end) };
  }
  return null;
}

function positionIn(
  source: SourceDocument,
  origins: ReadonlyMap<string, ConfigEntry>,
  { path, part }: { readonly path: Path; readonly part: 'key' | 'value' },
) {
  const origin = originOf(origins, path);
  if (origin === null) return source.position([]);
  const isMissing = origin.rest.length > 0 && typeof origin.rest[0] === 'string';
  return source.position([...origin.entry.path, ...(isMissing ? [] : origin.rest)], isMissing ? 'key' : part);
}

function idOf(path: Path): string {
  return path.join('\u0000');
}
