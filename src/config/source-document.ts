import { withoutCredentials } from '../base/secrets';
import type { JsonValue } from '../domain/job-data';

/** A place inside a document: keys and list positions, from the outside in. */
export type Path = readonly (string | number)[];

/** A place in a text. Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A file that was read: its content as plain data, and where in the text each part of it stands. */
export interface SourceDocument {
  /** As the operator named it. */
  readonly file: string;
  /** JSON-like; an empty file is null. Keys are never `__proto__`. */
  readonly data: JsonValue;
  /** Where the value (or its key) begins; a path that is not there answers with its nearest parent. Null without text. */
  position(path: Path, part?: 'key' | 'value'): Position | null;
  /** True for a value that must not be shown, beyond those whose name says so. */
  isSecret?(path: Path): boolean;
}

/** What stands at a path of plain data; undefined when nothing does. */
export function valueAt(data: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Readonly<Record<string | number, JsonValue>>)[segment];
  }
  return value;
}

/** The most characters a file may have. */
export const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

/** How deeply maps and lists may nest. */
export const MAX_NESTING = 64;

/** Turns offsets into lines and columns. The lines are counted at the first question: most texts raise none. */
export function lineIndex(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** A document that was never text: an object of the caller's. */
export function dataDocument(name: string, data: JsonValue): SourceDocument {
  return { file: name, data, position: () => null };
}

/** `jobs[2].data["a b"]`. */
export function pathText(path: Path): string {
  return path.map(segmentText).join('').replace(/^\./, '');
}

function segmentText(segment: string | number): string {
  if (typeof segment === 'number') return `[${segment}]`;
  if (/^[\w.-]{1,120}$/.test(segment)) return `.${segment}`;
  return `[${quoted(segment)}]`;
}

/** A text as it may be shown: without credentials, on one line, at most 60 characters, in quotes. */
export function quoted(text: string): string {
  const safe = withoutCredentials(text);
  const shown = safe.length > 60 ? `${safe.slice(0, 57)}...` : safe;
  return `'${shown.replace(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')}'`;
}
