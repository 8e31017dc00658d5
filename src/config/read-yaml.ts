import * as yaml from 'yaml';
import type { JsonValue } from '../domain/job-data';
import { ConfigurationError, type Problem, problemAt, textProblem } from './problem';
import { lineIndex, MAX_NESTING, type Path, type Position, quoted, type SourceDocument } from './source-document';

/** Maximum number of lexemes in a file. Its syntax tree needs hundreds of times its memory. 10,000 jobs of twelve lines need half of this limit. */
const MAX_LEXEMES = 1_000_000;

/** Maximum number of aliases, anchors, tags and directives in a file. */
const MAX_MARKS = 10_000;
const MARKS = ['*', '&', '!', '%'];
/** Lexemes that do not count towards the limit: white space, comments, and the mark that the lexer emits before each scalar. */
const BLANK = [' ', '\n', '\r', '#', '\u001f'];

/** Maximum number of values that aliases (`*name`) may add to a document. Enough for shared blocks, but too few for an alias bomb. */
const MAX_ALIASED_VALUES = 10_000;

/** Number of problems after which reading stops. */
const MAX_PROBLEMS = 1_000;

/** Parses YAML 1.2 as plain data. Throws a ConfigurationError with every syntax problem. */
export function readYaml(text: string, file: string): SourceDocument {
  const root = parseYaml(text, file)?.contents as yaml.Node | null | undefined;
  const positionOf = lineIndex(text);
  if (!root) return { file, data: null, position: () => positionOf(0) };
  const reading = {
    file,
    positionOf,
    anchors: new Map(),
    targets: new Map(),
    entries: new Map(),
    problems: [],
    aliased: 0,
  };
  const data = readNode(reading, root, { path: [], offset: 0, insideAlias: false });
  if (reading.problems.length > 0) throw new ConfigurationError(reading.problems);
  return { file, data, position: (path, part) => positionOf(offsetOf(reading, root, path, part)) };
}

type Entry = yaml.Pair<yaml.Node, yaml.Node | null>;

interface Reading {
  readonly file: string;
  readonly positionOf: (offset: number) => Position;
  readonly anchors: Map<string, yaml.Node>;
  /** Target node of each alias. Needed because a file may define the same anchor several times. */
  readonly targets: Map<yaml.Node, yaml.Node>;
  readonly entries: Map<yaml.YAMLMap, Map<string, Entry>>;
  readonly problems: Problem[];
  aliased: number;
}

interface Place {
  readonly path: Path;
  /** Offset of the node. For an empty node: the offset of its key. */
  readonly offset: number;
  readonly insideAlias: boolean;
}

/** Returns the offset of the node at `path` or, if there is none, of its deepest existing parent. */
function offsetOf(reading: Reading, root: yaml.Node, path: Path, part: 'key' | 'value' = 'value'): number {
  let node: yaml.Node | null = root;
  let keyOffset = 0;
  let offset = startOf(root, 0);
  for (const segment of path) {
    const entry: Entry | undefined = yaml.isMap(node) ? reading.entries.get(node)?.get(String(segment)) : undefined;
    const child: yaml.Node | null | undefined = yaml.isSeq(node)
      ? (node.items[Number(segment)] as yaml.Node | null | undefined)
      : entry?.value;
    if (child === undefined) return offset;
    keyOffset = startOf(entry === undefined ? child : entry.key, offset);
    node = child === null ? null : (reading.targets.get(child) ?? child);
    offset = startOf(node, keyOffset);
  }
  return part === 'key' ? keyOffset : offset;
}

function startOf(node: yaml.Node | null, otherwise: number): number {
  return node?.range?.[0] ?? otherwise;
}

function readNode(reading: Reading, node: yaml.Node | null, place: Place): JsonValue {
  if (place.insideAlias && ++reading.aliased > MAX_ALIASED_VALUES)
    throw refused(reading, place, `expected aliases that add at most ${MAX_ALIASED_VALUES} values, found more`);
  if (place.path.length > MAX_NESTING)
    throw refused(
      reading,
      place,
      `expected at most ${MAX_NESTING} nested levels, found more (an alias may refer to itself)`,
    );
  if (node === null) return null;
  if (yaml.isAlias(node)) {
    const target = reading.anchors.get(node.source);
    if (target !== undefined) {
      reading.targets.set(node, target);
      return readNode(reading, target, { ...place, offset: startOf(target, place.offset), insideAlias: true });
    }
    // The message omits the alias name, which may be an unquoted value that begins with `*`, such as a password.
    const message = 'expected an anchor before its alias, found none; put the value in quotes if `*` begins a text';
    throw refused(reading, place, message);
  }
  if (node.anchor !== undefined && !place.insideAlias) reading.anchors.set(node.anchor, node);
  if (yaml.isMap(node)) return readMap(reading, node, place);
  if (yaml.isSeq(node))
    return node.items.map((item, index) => readChild(reading, item as yaml.Node | null, place, index));
  return yaml.isScalar(node) ? readScalar(reading, node, place) : null;
}

function readChild(reading: Reading, node: yaml.Node | null, parent: Place, key: string | number): JsonValue {
  return readNode(reading, node, { ...parent, path: [...parent.path, key], offset: startOf(node, parent.offset) });
}

function readMap(reading: Reading, map: yaml.YAMLMap, place: Place): JsonValue {
  const data: Record<string, JsonValue> = {};
  const entries = new Map<string, Entry>();
  for (const entry of map.items as Entry[]) {
    const offset = startOf(entry.key, place.offset);
    const fault = keyFault(entry.key, entries);
    if (reading.problems.length >= MAX_PROBLEMS) throw new ConfigurationError(reading.problems);
    if (fault !== null) {
      reading.problems.push(problemIn(reading, { ...place, offset }, fault));
      continue;
    }
    const key = String((entry.key as unknown as yaml.Scalar).value);
    entries.set(key, entry);
    data[key] = readChild(reading, entry.value, { ...place, offset }, key);
  }
  reading.entries.set(map, entries);
  return data;
}

/** Returns the problem of a key, or null. A key must be a non-empty string, number or boolean, and unique within its map as a string. */
function keyFault(node: yaml.Node | null, known: ReadonlyMap<string, unknown>): string | null {
  if (!yaml.isScalar(node) || node.value === null) return 'expected a string as key, found another value';
  const key = String(node.value);
  if (key === '') return 'expected a string as key, found an empty one';
  if (key === '__proto__') return `expected another key, found ${quoted(key)}, which is reserved; rename the key`;
  // YAML 1.2 has no merge keys. If `<<` were accepted as a key, it would become data.
  if (node.value === '<<' && node.type === 'PLAIN')
    return 'expected keys, found the merge key `<<`; repeat the keys, or share a whole value with `*name`';
  return known.has(key) ? `expected each key once, found ${quoted(key)} again` : null;
}

/** Converts a scalar to a string, number, boolean or null, as in JSON. */
function readScalar(reading: Reading, { value, source = '' }: yaml.Scalar, place: Place): JsonValue {
  const isPlain = value === null || ['boolean', 'number', 'string'].includes(typeof value);
  if (isPlain && !isRounded(value, source)) return value as JsonValue;
  const message = isPlain
    ? 'expected a number that JavaScript can represent exactly, found a larger one; put it in quotes to keep it as text'
    : 'expected a plain value, found a tag (`!!name`) of another type; remove it';
  reading.problems.push(problemIn(reading, place, message));
  return null;
}

/** Returns true if JavaScript would round the number, for example a long order number. Rounding would silently change the value. */
function isRounded(value: unknown, source: string): boolean {
  if (typeof value !== 'number') return false;
  if (/^([-+]?\d+|0[xo][\da-f]+)$/i.test(source)) return !Number.isSafeInteger(value);
  return !Number.isFinite(value) && /\d/.test(source);
}

function refused(reading: Reading, place: Place, message: string): ConfigurationError {
  const problem = problemIn(reading, { ...place, path: place.path.slice(0, 8) }, message);
  return new ConfigurationError([...reading.problems, problem]);
}

function problemIn({ file, positionOf }: Reading, { path, offset }: Place, message: string): Problem {
  return problemAt({ file, data: null, position: () => positionOf(offset) }, { path, message });
}

/** Parses one YAML 1.2 document. Returns null for an empty file. Throws a ConfigurationError with every syntax problem. */
function parseYaml(text: string, file: string): yaml.Document | null {
  // `uniqueKeys` is off, because the composer searches for duplicate keys in quadratic time. `keyFault` finds them in linear time.
  const composer = new yaml.Composer({ version: '1.2', uniqueKeys: false, strict: true, prettyErrors: false });
  const documents: yaml.Document[] = [];
  withoutStacks(() => {
    for (const document of composer.compose(tokens(text, file), true, text.length)) {
      documents.push(document as yaml.Document);
      if (documents.length > 1) break; // A second document is an error, so the remaining documents need not be parsed.
    }
  });
  const errors = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  if (errors.length > 0) throw syntaxError(errors, text, file);
  const [document, second] = documents;
  if (second !== undefined) throw textRefused(file, text, second.range?.[0] ?? 0, SECOND_DOCUMENT);
  if (document?.directives?.yaml.explicit && document.directives.yaml.version !== '1.2')
    throw textRefused(file, text, Math.max(0, text.indexOf('%YAML')), OTHER_VERSION);
  return document ?? null;
}

const SECOND_DOCUMENT = "expected one document, found another one after '---'; put each document in its own file";
const OTHER_VERSION = 'expected YAML 1.2, found a directive for another version; remove the line';

/** Calls `work` without stack traces: the composer creates an Error for each syntax mistake, possibly millions, each with a kilobyte of stack. */
function withoutStacks(work: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Yields the parser's tokens, up to a maximum number and nesting depth, which protect the memory and stack of the recursive composer. */
function* tokens(text: string, file: string) {
  const parser = new yaml.Parser();
  let lexemes = 0;
  let marks = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    const first = lexeme[0] ?? '';
    if (!BLANK.includes(first) && ++lexemes > MAX_LEXEMES) {
      const message = `expected at most ${MAX_LEXEMES} keys, values and separators, found more; split the file`;
      throw textRefused(file, text, parser.offset, message);
    }
    if (MARKS.includes(first) && ++marks > MAX_MARKS) {
      const message = `expected at most ${MAX_MARKS} aliases, anchors, tags and directives, found more`;
      throw textRefused(file, text, parser.offset, message);
    }
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_NESTING + 2)
      throw textRefused(file, text, parser.offset, `expected at most ${MAX_NESTING} nested levels, found more`);
  }
  yield* parser.end();
}

function textRefused(file: string, text: string, offset: number, message: string): ConfigurationError {
  return new ConfigurationError([textProblem(file, lineIndex(text)(offset), message)]);
}

/** Creates an error with at most one problem per line, because further problems on a line usually follow from the first one. */
function syntaxError(errors: readonly yaml.YAMLError[], text: string, file: string): ConfigurationError {
  const positionOf = lineIndex(text);
  const byLine = new Map<number, Problem>();
  for (const { code, pos } of errors) {
    const position = positionOf(pos[0]);
    const message = SYNTAX_ERRORS[code] ?? 'expected valid YAML here';
    if (!byLine.has(position.line)) byLine.set(position.line, textProblem(file, position, message));
  }
  return new ConfigurationError([...byLine.values()]);
}

/** Messages for syntax errors. They replace the parser's messages, some of which quote the file's content, which may be a password. */
const SYNTAX_ERRORS: Readonly<Partial<Record<yaml.ErrorCode, string>>> = {
  TAB_AS_INDENT: 'expected spaces as indentation, found a tab; YAML does not allow tabs there',
  BAD_INDENT: 'expected the same indentation as the neighbouring lines, or a closed bracket before this line',
  MISSING_CHAR: 'expected a closing quote or bracket, or a key followed by `: `, found none',
  BLOCK_AS_IMPLICIT_KEY:
    'expected one `key: value` per line, found a second one; put the value in quotes if it is text',
  MULTILINE_IMPLICIT_KEY: 'expected a key on one line, found a line break in it',
  BLOCK_IN_FLOW: 'expected values between the brackets, found an indented block',
  BAD_SCALAR_START: 'expected a value, found a character YAML reserves; put the value in quotes',
  BAD_DQ_ESCAPE: 'expected a known escape after the backslash; use single quotes for text with backslashes',
  BAD_DIRECTIVE: 'expected no directive, found a line that begins with `%`; put the value in quotes if it is text',
  TAG_RESOLVE_FAILED: 'expected a plain value, found an unknown tag (`!name`); put the value in quotes if it is text',
  BAD_ALIAS: 'expected an alias such as `*name`; put the value in quotes if it is text',
  UNEXPECTED_TOKEN: 'expected the value to end here; put it in quotes if all of it is one text',
  KEY_OVER_1024_CHARS: 'expected a key of at most 1024 characters, found a longer one',
  MULTIPLE_DOCS: "expected one document, found another one after '---'",
};
