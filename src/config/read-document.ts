import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Node, Pair } from 'dot-properties';
import type { JsonValue } from '../domain/job-data';
import { ConfigurationError, textProblem } from './problem';
import { lineIndex, MAX_TEXT_LENGTH, quoted, type SourceDocument } from './source-document';

/** Extensions of program files, which are rejected: configuration is data and never executed. A program can import its module and pass the object. */
const CODE: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);
const NOT_CODE =
  'expected a .yaml, .yml, .json or .properties file, found a program; convert it to YAML, or pass the object to createScheduler';

/** Reads a configuration or schedule file: `.properties` as Java does, any other as YAML, which includes JSON. Throws a ConfigurationError. */
export async function readDocument(file: string): Promise<SourceDocument> {
  if (CODE.has(extname(file).toLowerCase())) throw refused(file, NOT_CODE);
  return parseDocument(await readText(file), file);
}

/** Parses the content of a file. The extension of `file` selects the format. Throws a ConfigurationError. */
export async function parseDocument(text: string, file: string): Promise<SourceDocument> {
  if (text.length > MAX_TEXT_LENGTH)
    throw refused(file, `expected at most ${MAX_TEXT_LENGTH} characters, found ${text.length}`);
  if (extname(file).toLowerCase() === '.properties') return readProperties(text, file);
  // Imported on demand, so that a scheduler without files does not load the parser.
  return (await import('./read-yaml')).readYaml(text, file);
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((thrown: unknown) => {
    const { code } = thrown as NodeJS.ErrnoException;
    throw refused(file, UNREADABLE[code ?? ''] ?? `expected a readable file, found ${code ?? 'an error'}`, thrown);
  });
  if (bytes.length > MAX_TEXT_LENGTH)
    throw refused(file, `expected at most ${MAX_TEXT_LENGTH} bytes, found ${bytes.length}`);
  return decode(bytes, file);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'expected a file, found none; check the path',
  EISDIR: 'expected a file, found a folder; check the path',
  EACCES: 'expected a file that this user can read, found no read permission; change its permissions',
};

function decode(bytes: Uint8Array, file: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw refused(file, 'expected UTF-8 text, found other bytes; save the file as UTF-8', thrown);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters occur only in binary files
  if (/[\u0000-\u0008\u000e-\u001f]/.test(text))
    throw refused(file, 'expected text, found control characters; check that it is not a binary file');
  if (/^\s*<[?!a-z]/i.test(text))
    throw refused(file, 'expected YAML, JSON or .properties, found XML; convert it to one of these formats');
  return text;
}

function refused(file: string, message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError([textProblem(file, null, message)], { cause });
}

/** Parses a Java `.properties` file as a flat map of strings. Unlike Java, reports a duplicate key. */
async function readProperties(text: string, file: string): Promise<SourceDocument> {
  const { parseLines } = await import('dot-properties');
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
  'expected four hexadecimal digits after \\u, found other characters; write \\\\u for a literal \\u';

/** Returns the offsets of invalid `\u` escapes outside comments. Java rejects them. Without this check, a typo would become part of a value. */
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
  if (key === '__proto__') return `expected another key, found ${quoted(key)}, which is reserved; rename the key`;
  if (seen.has(key)) return `expected each key once, found ${quoted(key)} again`;
  return null;
}
