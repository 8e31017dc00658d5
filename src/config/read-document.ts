import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { JsonValue } from '../domain/job-data';
import { readJavaProperties } from '../java/java-properties';
import { ConfigurationError, type Problem, textProblem } from './problem';
import { lineIndex, MAX_TEXT_LENGTH, namesIn, type SourceDocument } from './source-document';

/** Extensions of program files, which are rejected: configuration is data and never executed. A program can import its module and pass the object. */
const CODE: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);
const NOT_CODE =
  'expected a .yaml, .yml, .json or .properties file, found a program; convert it to YAML, or pass the object to createScheduler';

/** Reads a configuration or schedule file: `.properties` as Java does, any other as YAML, which includes JSON. Throws a ConfigurationError. */
export async function readDocument(file: string): Promise<SourceDocument> {
  if (CODE.has(extname(file).toLowerCase())) throw refused(file, NOT_CODE);
  return parseDocument(...(await readText(file)));
}

type Encoding = 'utf-8' | 'latin1';

/** Parses the content of a file. The extension of `file` selects the format. Throws a ConfigurationError. */
export async function parseDocument(text: string, file: string, encoding: Encoding = 'utf-8'): Promise<SourceDocument> {
  if (text.length > MAX_TEXT_LENGTH)
    throw refused(file, `expected at most ${MAX_TEXT_LENGTH} characters, found ${text.length}`);
  if (isProperties(file)) return readProperties(text, file, encoding);
  // Imported on demand, so that a scheduler without files does not load the parser.
  return (await import('./read-yaml')).readYaml(text, file);
}

/** Returns true for the name of a file in the format of java.util.Properties. */
export function isProperties(file: string): boolean {
  return extname(file).toLowerCase() === '.properties';
}

async function readText(file: string): Promise<[string, string, Encoding]> {
  const bytes = await readFile(file).catch((thrown: unknown) => {
    const { code } = thrown as NodeJS.ErrnoException;
    throw refused(file, UNREADABLE[code ?? ''] ?? `expected a readable file, found ${code ?? 'an error'}`, thrown);
  });
  if (bytes.length > MAX_TEXT_LENGTH)
    throw refused(file, `expected at most ${MAX_TEXT_LENGTH} bytes, found ${bytes.length}`);
  const [text, encoding] = decode(bytes, file);
  return [text, file, encoding];
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'expected a file, found none; check the path',
  EISDIR: 'expected a file, found a folder; check the path',
  EACCES: 'expected a file that this user can read, found no read permission; change its permissions',
};

/** Decodes UTF-8, and other bytes of a `.properties` file as Java does. */
function decode(bytes: Uint8Array, file: string): [string, Encoding] {
  let text: string;
  let encoding: Encoding = 'utf-8';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    if (!isProperties(file))
      throw refused(file, 'expected UTF-8 text, found other bytes; save the file as UTF-8', thrown);
    encoding = 'latin1';
    text = Buffer.from(bytes).toString(encoding);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters occur only in binary files
  if (/[\u0000-\u0008\u000e-\u001f]/.test(text))
    throw refused(file, 'expected text, found control characters; check that it is not a binary file');
  if (/^\s*<[?!a-z]/i.test(text))
    throw refused(file, 'expected YAML, JSON or .properties, found XML; convert it to one of these formats');
  return [text, encoding];
}

function refused(file: string, message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError([textProblem(file, null, message)], { cause });
}

/** Parses a Java `.properties` file as a flat map of strings, trimmed as Quartz trims them. As in Java, the last value of a repeated key counts. */
function readProperties(text: string, file: string, encoding: Encoding): SourceDocument {
  const data: Record<string, JsonValue> = {};
  const offsets = new Map<string, { readonly key: number; readonly value: number }>();
  const positionOf = lineIndex(text);
  const problems: Problem[] = [];
  const repeated = new Set<string>();
  const notAscii = new Set<string>();
  for (const { key, value, line, keyOffset, valueOffset, wrongEscape } of readJavaProperties(text)) {
    if (wrongEscape !== null) problems.push(textProblem(file, positionOf(wrongEscape), WRONG_ESCAPE));
    if (key === '__proto__') problems.push(textProblem(file, positionOf(keyOffset), RESERVED));
    else data[key] = trimmed(value);
    if (offsets.has(key)) repeated.add(key);
    if (encoding === 'utf-8' && /[^\0-\x7f]/.test(line)) notAscii.add(key);
    offsets.set(key, { key: keyOffset, value: valueOffset });
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    file,
    data: offsets.size === 0 ? null : data,
    position: ([key], part = 'value') => positionOf(offsets.get(String(key))?.[part] ?? 0),
    warnings: [...repetitionWarning(quartzKeys(repeated)), ...encodingWarning(quartzKeys(notAscii))],
  };
}

const WRONG_ESCAPE =
  'expected four hexadecimal digits after \\u, found other characters; write \\\\u for a literal \\u';
const RESERVED = "expected another key, found '__proto__', which is reserved; rename the key";

/** Removes what `String.trim` of Java removes. */
function trimmed(value: string): string {
  return value.replace(/^[\0- ]+|(?<![\0- ])[\0- ]+$/g, '');
}

/** Keys of other programs need no warnings. */
function quartzKeys(keys: ReadonlySet<string>): readonly string[] {
  return [...keys].filter((key) => key.startsWith('org.quartz.'));
}

function repetitionWarning(keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return [];
  const one = keys.length === 1;
  return [
    `${one ? 'This key occurs' : 'These keys occur'} more than once, and the last value ${one ? '' : 'of each '}counts, as in Java: ${namesIn(keys)}.`,
  ];
}

/** Warns about values that Java reads differently, because it reads `.properties` files as ISO-8859-1. */
function encodingWarning(keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return [];
  return [
    `The file is read as UTF-8, but Java reads it as ISO-8859-1. Write other characters than ASCII as \\uXXXX, which both read the same: ${namesIn(keys)}.`,
  ];
}
