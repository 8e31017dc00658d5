import { dirname, isAbsolute, join } from 'node:path';
import { partition } from '../base/lists';
import { withoutCredentials } from '../base/secrets';
import type { JsonValue } from '../domain/job-data';

/** Path in a document: keys and list indexes, outermost first. */
export type Path = readonly (string | number)[];

/** Position in a file. Line and column count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A parsed file: its content as plain data, and the position of each value in the file. */
export interface SourceDocument {
  /** File name as the operator wrote it. */
  readonly file: string;
  /** Content as JSON-like data. Null for an empty file. No key is `__proto__`. */
  readonly data: JsonValue;
  /** Returns the position of a value or its key, or of the nearest existing parent. Null if there is no source text. */
  position(path: Path, part?: 'key' | 'value'): Position | null;
  /** Returns true if messages must not show the value at `path`, although the name of its key is not secret. */
  isSecret?(path: Path): boolean;
  /** Complete sentences about text that was read, but probably not as its author expects. */
  readonly warnings?: readonly string[];
}

export function valueAt(data: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Readonly<Record<string | number, JsonValue>>)[segment];
  }
  return value;
}

/** Maximum length of a file, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

export const MAX_NESTING = 64;

/** Returns a function that converts offsets to lines and columns. Indexes the lines on its first call, because most files need no positions. */
export function lineIndex(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    const line = Math.max(
      1,
      partition(starts, (start) => start <= offset),
    );
    return { line, column: offset - (starts[line - 1] as number) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Creates a document from data, without a source text. */
export function dataDocument(name: string, data: JsonValue): SourceDocument {
  return { file: name, data, position: () => null };
}

/** Resolves the path of a file that another file names. A relative path refers to the folder of that other file. */
export function resolvedFrom(naming: string, file: string): string {
  return isAbsolute(file) ? file : join(dirname(naming), file);
}

/** Formats a path, such as `jobs[2].data["a b"]`. */
export function pathText(path: Path): string {
  return path.map(segmentText).join('').replace(/^\./, '');
}

function segmentText(segment: string | number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  if (/^[\w.-]{1,120}$/.test(segment)) return `.${segment}`;
  return `[${quoted(segment)}]`;
}

/** Returns a string in quotes for a message: without credentials, on one line, at most 60 characters. */
export function quoted(text: string): string {
  const safe = withoutCredentials(text);
  const shown = safe.length > 60 ? `${safe.slice(0, 57)}...` : safe;
  return `'${onOneLine(shown)}'`;
}

const MAX_NAMES = 10;

/** Lists names in a message: at most ten, and the number of the others. */
export function namesIn(names: readonly string[]): string {
  const listed = names.slice(0, MAX_NAMES).map(quoted).join(', ');
  return names.length > MAX_NAMES ? `${listed} and ${names.length - MAX_NAMES} more` : listed;
}

/** Replaces control characters and line breaks. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, '\ufffd');
}
