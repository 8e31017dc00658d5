import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
  type YAMLError,
} from 'yaml';
import type { JsonValue } from '../domain/job-data';
import { ConfigurationError, type Problem, problemAt } from './problem';
import {
  documentOf,
  type Located,
  lineIndex,
  MAX_NESTING,
  type Path,
  type Position,
  type SourceDocument,
} from './source-document';
import { yamlErrorText } from './yaml-error-text';
import { readKey, readScalar } from './yaml-values';

/** How many values aliases (`*name`) may add to a document: enough for shared blocks, far too few for a bomb. */
const MAX_ALIASED_VALUES = 10_000;

/** How many problems are collected before reading ends. */
const MAX_PROBLEMS = 1_000;

/** How much is parsed: the tree takes hundreds of times the memory of its text. 10,000 jobs of twelve lines take half of it. */
const MAX_LEXEMES = 1_000_000;

/** How many aliases, anchors, tags and directives are parsed, which nobody writes by the thousand. */
const MAX_MARKS = 10_000;
const MARKS = ['*', '&', '!', '%'];
/** White space, comments, and what the lexer puts before each scalar. */
const BLANK = [' ', '\n', '\r', '#', '\u001f'];

/** Reads YAML 1.2 as plain data. Throws ConfigurationError with every problem of syntax. */
export function readYaml(text: string, file: string): SourceDocument {
  const composed = compose(text, file);
  if (composed === null || composed.contents === null) return documentOf(file, text, null, LEAF);
  const reading: Reading = { file, positionOf: lineIndex(text), anchors: new Map(), problems: [], aliased: 0 };
  const { data, located } = readNode(reading, composed.contents as Node, { path: [], key: 0, insideAlias: false });
  if (reading.problems.length > 0) throw new ConfigurationError(reading.problems);
  return documentOf(file, text, data, located);
}

const LEAF: Located = { key: 0, value: 0, children: null };

function compose(text: string, file: string): Document | null {
  // Its own search for duplicate keys takes the square of their number; `readMap` has a faster one.
  const composer = new Composer({ version: '1.2', uniqueKeys: false, strict: true, prettyErrors: false });
  const documents: Document[] = [];
  withoutStacks(() => {
    for (const document of composer.compose(tokens(text, file), true, text.length)) {
      documents.push(document as Document);
      if (documents.length > 1) break; // the second is refused, and there may be a million
    }
  });
  const errors = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  if (errors.length > 0) throw syntaxError(errors, text, file);
  const second = documents[1];
  if (second !== undefined) {
    const message =
      "expected one document, found another one after '---'; keep one and put the rest in files of its own";
    throw new ConfigurationError([textProblem(file, text, second.range?.[0] ?? 0, message)]);
  }
  const [document] = documents;
  if (document?.directives?.yaml.explicit && document.directives.yaml.version !== '1.2') {
    const message = 'expected YAML 1.2, found a directive for another version; leave the line out';
    throw new ConfigurationError([textProblem(file, text, Math.max(0, text.indexOf('%YAML')), message)]);
  }
  return document ?? null;
}

/** The composer makes an Error of each mistake, of which there may be millions; of a kilobyte each, were its stack kept. */
function withoutStacks(work: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The composer recurses, this parser does not: depth and number are checked here, before stack or memory run out. */
function* tokens(text: string, file: string) {
  const parser = new Parser();
  let lexemes = 0;
  let marks = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const first = lexeme[0] ?? '';
    if (!BLANK.includes(first) && ++lexemes > MAX_LEXEMES) {
      const message = `expected at most ${MAX_LEXEMES} keys, values and separators, found more; divide the file`;
      throw new ConfigurationError([textProblem(file, text, parser.offset, message)]);
    }
    if (MARKS.includes(first) && ++marks > MAX_MARKS) {
      const message = `expected at most ${MAX_MARKS} aliases, anchors, tags and directives, found more`;
      throw new ConfigurationError([textProblem(file, text, parser.offset, message)]);
    }
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_NESTING + 2) {
      const message = `expected at most ${MAX_NESTING} nested levels, found more`;
      throw new ConfigurationError([textProblem(file, text, parser.offset, message)]);
    }
  }
  yield* parser.end();
}

/** One problem per line: what follows a syntax error on its line is an echo of it. */
function syntaxError(errors: readonly YAMLError[], text: string, file: string): ConfigurationError {
  const positionOf = lineIndex(text);
  const byLine = new Map<number, Problem>();
  for (const { code, pos } of errors) {
    const { line, column } = positionOf(pos[0]);
    const problem = {
      file,
      line,
      column,
      path: '',
      message: yamlErrorText(code),
      expected: null,
      found: null,
      suggestion: null,
    };
    if (!byLine.has(line)) byLine.set(line, problem);
  }
  return new ConfigurationError([...byLine.values()]);
}

function textProblem(file: string, text: string, offset: number, message: string): Problem {
  const { line, column } = lineIndex(text)(offset);
  return { file, line, column, path: '', message, expected: null, found: null, suggestion: null };
}

interface Reading {
  readonly file: string;
  readonly positionOf: (offset: number) => Position;
  readonly anchors: Map<string, Node>;
  readonly problems: Problem[];
  aliased: number;
}

interface Place {
  readonly path: Path;
  /** Offset of the key, or of the value where there is none. */
  readonly key: number;
  readonly insideAlias: boolean;
}

interface Read {
  readonly data: JsonValue;
  readonly located: Located;
}

function readNode(reading: Reading, node: Node | null, place: Place): Read {
  const value = node?.range?.[0] ?? place.key;
  const leaf = (data: JsonValue): Read => ({ data, located: { key: place.key, value, children: null } });
  if (place.insideAlias && ++reading.aliased > MAX_ALIASED_VALUES) {
    throw refuse(reading, value, place, `expected aliases that add at most ${MAX_ALIASED_VALUES} values, found more`);
  }
  if (place.path.length > MAX_NESTING) {
    throw refuse(
      reading,
      value,
      place,
      `expected at most ${MAX_NESTING} nested levels, found more (an alias of itself?)`,
    );
  }
  if (node === null) return leaf(null);
  if (isAlias(node)) return readAlias(reading, node.source, { ...place, value });
  if (node.anchor !== undefined && !place.insideAlias) reading.anchors.set(node.anchor, node);
  if (isMap(node)) return readMap(reading, node.items as Pair<Node, Node | null>[], { ...place, value });
  if (isSeq(node)) return readList(reading, node.items as Node[], { ...place, value });
  if (!isScalar(node)) return leaf(null);
  const read = readScalar(node);
  if ('data' in read) return leaf(read.data);
  reading.problems.push(problemAt(placed(reading, value), { path: place.path, message: read.fault }));
  return leaf(null);
}

function readAlias(reading: Reading, name: string, place: Place & { readonly value: number }): Read {
  const target = reading.anchors.get(name);
  if (target === undefined) {
    // Without the name: what was meant as a text, such as a password, may begin with `*`.
    const message = 'expected an anchor before its alias, found none; put the value in quotes if `*` begins a text';
    throw refuse(reading, place.value, place, message);
  }
  return readNode(reading, target, { ...place, insideAlias: true });
}

function readMap(reading: Reading, pairs: readonly Pair<Node, Node | null>[], place: Place & { value: number }): Read {
  const data: Record<string, JsonValue> = {};
  const children = new Map<string, Located>();
  for (const pair of pairs) {
    const offset = pair.key?.range?.[0] ?? place.value;
    const named = readKey(pair.key, children);
    if (reading.problems.length >= MAX_PROBLEMS) throw new ConfigurationError(reading.problems);
    if ('fault' in named) {
      reading.problems.push(problemAt(placed(reading, offset), { path: place.path, message: named.fault }));
      continue;
    }
    const { key } = named;
    const read = readNode(reading, pair.value, {
      path: [...place.path, key],
      key: offset,
      insideAlias: place.insideAlias,
    });
    data[key] = read.data;
    children.set(key, read.located);
  }
  return { data, located: { key: place.key, value: place.value, children } };
}

function readList(reading: Reading, items: readonly Node[], place: Place & { readonly value: number }): Read {
  const children = new Map<string, Located>();
  const data = items.map((item, index) => {
    const key = item?.range?.[0] ?? place.value;
    const read = readNode(reading, item, { path: [...place.path, index], key, insideAlias: place.insideAlias });
    children.set(String(index), read.located);
    return read.data;
  });
  return { data, located: { key: place.key, value: place.value, children } };
}

function refuse(reading: Reading, offset: number, { path }: Place, message: string): ConfigurationError {
  const problem = problemAt(placed(reading, offset), { path: path.slice(0, 8), message });
  return new ConfigurationError([...reading.problems, problem]);
}

/** A document that answers every question of place with one offset. */
function placed({ file, positionOf }: Reading, offset: number): SourceDocument {
  return { file, data: null, position: () => positionOf(offset) };
}
