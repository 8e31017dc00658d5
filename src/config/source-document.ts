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

/** Offsets of a value and of its key in the text, and the same for what it contains. */
export interface Located {
  readonly key: number;
  readonly value: number;
  readonly children: ReadonlyMap<string, Located> | null;
}

/** The most characters a file may have. */
export const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

/** How deeply maps and lists may nest. */
export const MAX_NESTING = 64;

/** The part of `root` at `path`, as far down as it exists. */
export function locate(root: Located, path: Path): { readonly located: Located; readonly complete: boolean } {
  let located = root;
  for (const segment of path) {
    const child = located.children?.get(String(segment));
    if (child === undefined) return { located, complete: false };
    located = child;
  }
  return { located, complete: true };
}

/** Turns offsets into lines and columns. The lines are counted at the first question: most texts raise none. */
export function lineIndex(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    const line = lastNotAfter(starts, offset);
    return { line: line + 1, column: offset - (starts[line] as number) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the last of some rising numbers that is not after `limit`. */
function lastNotAfter(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] as number) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A document over a text and the offsets of its parts. */
export function documentOf(file: string, text: string, data: JsonValue, root: Located): SourceDocument {
  const positionOf = lineIndex(text);
  return {
    file,
    data,
    position(path, part = 'value') {
      const { located, complete } = locate(root, path);
      return positionOf(complete && part === 'key' ? located.key : located.value);
    },
  };
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
