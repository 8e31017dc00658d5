import type { ErrorCode } from 'yaml';

/**
 * What is wrong, in our words and with what to do. The parser's own messages are not used: some quote the text they
 * stumbled over, which may be a password.
 */
const TEXTS: Readonly<Partial<Record<ErrorCode, string>>> = {
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

/** One syntax error as a sentence. */
export function yamlErrorText(code: ErrorCode): string {
  return TEXTS[code] ?? 'expected YAML, found something else here';
}
