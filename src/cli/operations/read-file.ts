import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toError } from '../../base/errors';
import { isRecord } from '../../base/is-record';
import { readYaml } from '../../config/read-yaml';
import type { CommandContext } from '../command';
import { CommandFailure, usageError } from '../exit-codes';

/**
 * Merges a file's fields with the input from arguments and options, which takes precedence. Rejects with CommandFailure or ConfigurationError if the file is
 * invalid or has another name or group.
 */
export async function fromFile(
  file: string,
  { input, context }: { readonly input: Readonly<Record<string, unknown>>; readonly context: CommandContext },
): Promise<Record<string, unknown>> {
  const place = file === '-' ? 'standard input' : file;
  const value = readYaml(await textOf(file, context), place).data;
  if (!isRecord(value)) throw usageError(`expected a map of fields and values in ${place}.`);
  const other = ['name', 'group'].find((key) => key in value && key in input && value[key] !== input[key]);
  if (other === undefined) return { ...value, ...input };
  throw usageError(
    `expected ${other} '${value[other]}', as in ${place}, found '${input[other]}'. Use the same ${other} in both, or remove it from ${place}.`,
  );
}

/** Returns the text of a file, or of standard input if `file` is `-`. Rejects with CommandFailure if the file cannot be read. */
export async function textOf(file: string, { folder, readStandardInput }: CommandContext): Promise<string> {
  if (file === '-') return (await readStandardInput?.()) ?? '';
  return readFile(resolve(folder, file), 'utf8').catch((error: unknown) => {
    throw new CommandFailure('USAGE', `The file cannot be read: ${toError(error).message}.`, { cause: error });
  });
}
