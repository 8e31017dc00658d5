import { Composer, type Document, type ErrorCode, Lexer, Parser, type YAMLError } from 'yaml';
import { ConfigurationError, type Problem, textProblem } from './problem';
import { lineIndex, MAX_NESTING } from './source-document';

/** How much is parsed: the tree takes hundreds of times the memory of its text. 10,000 jobs of twelve lines take half of it. */
const MAX_LEXEMES = 1_000_000;

/** How many aliases, anchors, tags and directives are parsed, which nobody writes by the thousand. */
const MAX_MARKS = 10_000;
const MARKS = ['*', '&', '!', '%'];
/** White space, comments, and what the lexer puts before each scalar. */
const BLANK = [' ', '\n', '\r', '#', '\u001f'];

/** The tree of the one YAML 1.2 document in a text; null for none. Throws ConfigurationError with every problem of syntax. */
export function parseYaml(text: string, file: string): Document | null {
  // Its own search for duplicate keys takes the square of their number; the reader of the tree has a faster one.
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
  const [document, second] = documents;
  if (second !== undefined) throw refused(file, text, second.range?.[0] ?? 0, SECOND_DOCUMENT);
  if (document?.directives?.yaml.explicit && document.directives.yaml.version !== '1.2')
    throw refused(file, text, Math.max(0, text.indexOf('%YAML')), OTHER_VERSION);
  return document ?? null;
}

const SECOND_DOCUMENT =
  "expected one document, found another one after '---'; keep one and put the rest in files of its own";
const OTHER_VERSION = 'expected YAML 1.2, found a directive for another version; leave the line out';

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
      throw refused(file, text, parser.offset, message);
    }
    if (MARKS.includes(first) && ++marks > MAX_MARKS) {
      const message = `expected at most ${MAX_MARKS} aliases, anchors, tags and directives, found more`;
      throw refused(file, text, parser.offset, message);
    }
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_NESTING + 2)
      throw refused(file, text, parser.offset, `expected at most ${MAX_NESTING} nested levels, found more`);
  }
  yield* parser.end();
}

function refused(file: string, text: string, offset: number, message: string): ConfigurationError {
  return new ConfigurationError([textProblem(file, lineIndex(text)(offset), message)]);
}

/** One problem per line: what follows a syntax error on its line is an echo of it. */
function syntaxError(errors: readonly YAMLError[], text: string, file: string): ConfigurationError {
  const positionOf = lineIndex(text);
  const byLine = new Map<number, Problem>();
  for (const { code, pos } of errors) {
    const position = positionOf(pos[0]);
    const message = SYNTAX_ERRORS[code] ?? 'expected YAML, found something else here';
    if (!byLine.has(position.line)) byLine.set(position.line, textProblem(file, position, message));
  }
  return new ConfigurationError([...byLine.values()]);
}

/**
 * What is wrong, in our words and with what to do. The parser's own messages are not used: some quote the text they
 * stumbled over, which may be a password.
 */
const SYNTAX_ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  TAB_AS_INDENT: 'expected spaces as indentation, found a tab; YAML does not allow tabs there',
  BAD_INDENT: 'expected this line to be indented like its neighbours, or a bracket to be closed before it',
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
