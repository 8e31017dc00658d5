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

function isPair(node: Required<Node>): node is Required<Pair> {
  return node.type === 'PAIR';
}

function keyFault(key: string, seen: ReadonlyMap<string, Located>): string | null {
  if (key === '__proto__') return `expected a text as key, found ${quoted(key)}`;
  if (seen.has(key)) return `expected each key once, found ${quoted(key)} again`;
  return null;
}
