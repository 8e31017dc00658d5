import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { toError } from '../../base/errors';
import type { CommandContext } from '../command';
import { CommandFailure } from '../exit-codes';
import type { OperationEntry } from './operation-entry';

interface Reading {
  readonly entry: OperationEntry;
  /** What was given besides the file. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: CommandContext;
}

/** The input with what a file holds. Rejects with CommandFailure. */
export async function fromFile(file: string, { entry, input, context }: Reading): Promise<Record<string, unknown>> {
  const value = readYaml(await textOf(file, context), file === '-' ? 'standard input' : file);
  const whole = definitionField(entry);
  if (whole !== null) return { ...input, [whole]: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandFailure('USAGE', `expected fields and their values in ${file}.`);
  return { ...value, ...input };
}

/** The field that a file is the value of; null: a file holds fields. */
export function definitionField({ fields }: OperationEntry): string | null {
  const structured = fields.filter(({ kind }) => kind === 'json');
  const [field] = structured;
  return structured.length === 1 && field !== undefined && field.isRequired ? field.name : null;
}

async function textOf(file: string, { folder, readStandardInput }: CommandContext): Promise<string> {
  if (file === '-') return (await readStandardInput?.()) ?? '';
  return readFile(resolve(folder, file), 'utf8').catch((error: unknown) => {
    throw new CommandFailure('USAGE', `The file cannot be read: ${toError(error).message}.`, { cause: error });
  });
}

/** A value in YAML or JSON. Throws CommandFailure with the place of what is wrong. */
export function readYaml(text: string, name: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error === undefined) return document.toJS({ maxAliasCount: 100 }) as unknown;
  throw new CommandFailure('CONFIGURATION', `${name} is no YAML: ${error.message.trim()}`);
}
