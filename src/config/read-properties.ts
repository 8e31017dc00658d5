import { type Node, type Pair, parseLines } from 'dot-properties';
import type { JsonValue } from '../domain/job-data';
import { ConfigurationError, textProblem } from './problem';
import { lineIndex, quoted, type SourceDocument } from './source-document';

/** Reads a Java `.properties` file as one flat map of texts. A key given twice is a problem, not the last one's victory. */
export function readProperties(text: string, file: string): SourceDocument {
  const data: Record<string, JsonValue> = {};
  const offsets = new Map<string, { readonly key: number; readonly value: number }>();
  const positionOf = lineIndex(text);
  const problems = wrongEscapes(text).map((offset) => textProblem(file, positionOf(offset), WRONG_ESCAPE));
  for (const pair of parseLines(text, true).filter(isPair)) {
    const [key, , value] = pair.range;
    const fault = keyFault(pair.key, offsets);
    if (fault !== null) problems.push(textProblem(file, positionOf(key), fault));
    else data[pair.key] = pair.value;
    offsets.set(pair.key, { key, value });
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    file,
    data,
    position: ([key], part = 'value') => positionOf(offsets.get(String(key))?.[part] ?? 0),
  };
}

const WRONG_ESCAPE =
  'expected four hexadecimal digits after \\u, found something else; write \\\\u for the text itself';

/** Java refuses them; taken as they stand, a typing mistake would become part of a value. Comments may hold anything. */
function wrongEscapes(text: string): readonly number[] {
  const lines = text.matchAll(/^(?![ \t\f]*[#!]).*\\u.*$/gm);
  return [...lines].flatMap(({ 0: line, index }) =>
    [...line.matchAll(/\\(?:u[\da-f]{4}|.)/gi)]
      .filter(([found]) => found === '\\u')
      .map((found) => index + found.index),
  );
}

function isPair(node: Required<Node>): node is Required<Pair> {
  return node.type === 'PAIR';
}

function keyFault(key: string, seen: ReadonlyMap<string, unknown>): string | null {
  if (key === '__proto__') return `expected a text as key, found ${quoted(key)}`;
  if (seen.has(key)) return `expected each key once, found ${quoted(key)} again`;
  return null;
}
