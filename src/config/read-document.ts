import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { ConfigurationError, textProblem } from './problem';
import { MAX_TEXT_LENGTH, type SourceDocument } from './source-document';

/** Files are data: nothing named in a command line or a variable is run. A program imports its own and hands on the object. */
const CODE: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);
const NOT_CODE =
  'expected a .yaml, .yml, .json or .properties file, found a program; write the same as YAML, or give createScheduler the object';

/** Reads a file of the operator's: `.properties` as Java does, everything else as YAML (JSON is YAML). Throws ConfigurationError. */
export async function readDocument(file: string): Promise<SourceDocument> {
  if (CODE.has(extname(file).toLowerCase())) throw refused(file, NOT_CODE);
  return parseDocument(await readText(file), file);
}

/** The same for a text already read; the name decides the format and appears in messages. */
export async function parseDocument(text: string, file: string): Promise<SourceDocument> {
  if (text.length > MAX_TEXT_LENGTH)
    throw refused(file, `expected at most ${MAX_TEXT_LENGTH} characters, found ${text.length}`);
  // Loaded when needed: a scheduler without files does not pay for their parsers.
  if (extname(file).toLowerCase() === '.properties')
    return (await import('./read-properties')).readProperties(text, file);
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
  EACCES: 'expected a file that this user may read, found one without that permission',
};

function decode(bytes: Uint8Array, file: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw refused(file, 'expected UTF-8 text, found other bytes; save the file as UTF-8', thrown);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells junk from text
  if (/[\u0000-\u0008\u000e-\u001f]/.test(text))
    throw refused(file, 'expected text, found control characters; is this a binary file?');
  if (/^\s*<[?!a-z]/i.test(text))
    throw refused(file, 'expected YAML, JSON or .properties, found XML; write the same in one of these');
  return text;
}

function refused(file: string, message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError([textProblem(file, null, message)], { cause });
}
