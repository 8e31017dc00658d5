import { type Node, type Pair, parseLines } from 'dot-properties';
import type { JsonValue } from '../domain/job-data';
import { ConfigurationError, type Problem, problemAt } from './problem';
import { documentOf, type Located, lineIndex, quoted, type SourceDocument } from './source-document';

/** Reads a Java `.properties` file as one flat map of texts. A key given twice is a problem, not the last one's victory. */
export function readProperties(text: string, file: string): SourceDocument {
  const data: Record<string, JsonValue> = {};
  const children = new Map<string, Located>();
  const problems: Problem[] = [];
  const positionOf = lineIndex(text);
  for (const offset of wrongEscapes(text)) {
    const message = 'expected four hexadecimal digits after \\u, found something else; write \\\\u for the text itself';
    problems.push(problemAt({ file, data, position: () => positionOf(offset) }, { path: [], message }));
  }
  for (const pair of parseLines(text, true).filter(isPair)) {
    const [key, , value] = pair.range;
    const located: Located = { key, value, children: null };
    const fault = keyFault(pair.key, children);
    if (fault !== null)
      problems.push(problemAt({ file, data, position: () => positionOf(key) }, { path: [], message: fault }));
    else data[pair.key] = pair.value;
    children.set(pair.key, located);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return documentOf(file, text, data, { key: 0, value: 0, children });
}

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

function keyFault(key: string, seen: ReadonlyMap<string, Located>): string | null {
  if (key === '__proto__') return `expected a text as key, found ${quoted(key)}`;
  if (seen.has(key)) return `expected each key once, found ${quoted(key)} again`;
  return null;
}
