import { basename } from 'node:path';
import { printable } from '../../base/printable';
import { Problem } from '../../operations/problem';
import type { CommandContext } from '../command';
import { CommandFailure, type ExitReason, usageError } from '../exit-codes';
import { withEdited } from './edit';
import { endOf, shownToPeople } from './format-answer';
import { printFormatted } from './format-values';
import { openTarget } from './open-target';
import type { OperationEntry } from './operation-entry';
import { fromFile, textOf } from './read-file';
import type { Target, TargetOptions } from './target';

export interface Given {
  readonly byPosition: Readonly<Record<string, unknown>>;
  readonly options: CommandOptions & Readonly<Record<string, unknown>>;
}

interface CommandOptions extends TargetOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly file?: string;
}

/** Performs an operation and prints its output. Returns the exit reason of a success. Rejects with CommandFailure or the operation's error. */
export async function performCommand(
  entry: OperationEntry,
  given: Given,
  context: CommandContext,
): Promise<ExitReason> {
  const { options } = given;
  const fromPlaces = { ...inputOf(entry, given), ...(await namedFile(entry, given, context)) };
  const input = options.file === undefined ? fromPlaces : await fromFile(options.file, { input: fromPlaces, context });
  if (entry.operation.effect === 'destroys' && !entry.isBulk && options.yes !== true)
    await confirm(entry, given, context);
  const { allowsDamagedTables = false } = entry.operation.command;
  const target = await openTarget({ ...options, allowsDamagedTables }, context);
  let end: ExitReason = 'OK';
  try {
    await withEdited({ entry, input, target, context }, async (whole) => {
      end = await print({ entry, target, context }, whole, options);
    });
    return end;
  } catch (thrown) {
    throw inWordsOfCommands(thrown, entry);
  } finally {
    await target.close();
  }
}

/** Returns the input from arguments and options. Omits fields that were not given, so that the operation applies its defaults. */
function inputOf({ fields, isPaged, isBulk }: OperationEntry, { byPosition, options }: Given): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const value = byPosition[field.name] ?? options[field.name];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) input[field.name] = value;
  }
  if (isPaged && options.all === true) input.limit ??= PAGE_OF_ALL;
  if (isBulk) input.dryRun = options.yes !== true;
  return input;
}

/** Returns text and base name of the file argument; an empty object for an operation without one. */
async function namedFile(
  { operation: { command } }: OperationEntry,
  { byPosition }: Given,
  context: CommandContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { textField, arguments: [field = ''] = [] } = command;
  if (textField === undefined) return {};
  const file = String(byPosition[field]);
  return { [textField]: await textOf(file, context), [field]: file === '-' ? undefined : basename(file) };
}

const PAGE_OF_ALL = 1_000;

/** Asks to confirm a destructive command. Rejects with CommandFailure if the answer is not yes, or without a terminal. */
async function confirm(
  { operation }: OperationEntry,
  { byPosition }: Given,
  { person }: CommandContext,
): Promise<void> {
  if (person === undefined)
    throw usageError(
      'expected --yes, because this command may be impossible to undo and there is no terminal to confirm it.',
    );
  const words = [...operation.command.words, ...Object.values(byPosition).flat()].filter((each) => each !== undefined);
  const answer = await person.prompt(
    `${printable(words.join(' '))}: ${operation.summary} This may be impossible to undo. Continue? [y/N] `,
  );
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CommandFailure('DECLINED', 'Nothing was changed.');
}

interface OperationCall {
  readonly entry: OperationEntry;
  readonly target: Target;
  readonly context: CommandContext;
}

async function print(
  call: OperationCall,
  input: Readonly<Record<string, unknown>>,
  options: CommandOptions,
): Promise<ExitReason> {
  const { entry, context } = call;
  const { output } = context;
  let next: Readonly<Record<string, unknown>> | null = input;
  let emptyParts = 0;
  let end: ExitReason = 'OK';
  while (next !== null) {
    const answer: unknown = await call.target.perform({ ...entry, input: next });
    end = endOf(entry.name, answer);
    const after = entry.isPaged ? nextOf(answer) : null;
    const isSearchedOn = after !== null && !options.json && isEmpty(answer) && ++emptyParts < MAX_EMPTY_PARTS;
    if (options.json) output.json(answer);
    else if (!isSearchedOn) printFormatted(output, shownToPeople(entry.name, answer), entry.operation.command.columns);
    if (entry.isBulk && options.yes !== true && !options.json)
      output.note('Dry run: nothing was changed. Add --yes to apply the changes.');
    next = after !== null && (options.all === true || isSearchedOn) ? { ...input, after } : null;
    if (after !== null && next === null && !options.json) {
      const found = isEmpty(answer) ? 'Only part of the list was searched' : 'There are more results';
      output.note(`${found}: add --all, or --after '${printable(after)}'.`);
    }
  }
  return end;
}

/** Maximum number of consecutive empty pages to request. Some lists search only a part of the data per page. */
const MAX_EMPTY_PARTS = 20;

function isEmpty(answer: unknown): boolean {
  const { items } = answer as { readonly items?: readonly unknown[] };
  return items?.length === 0;
}

function nextOf(answer: unknown): string | null {
  const { next } = answer as { readonly next?: unknown };
  return typeof next === 'string' ? next : null;
}

/** Names options and arguments instead of fields in an input error. Returns any other error unchanged. */
function inWordsOfCommands(thrown: unknown, { fields, operation }: OperationEntry): unknown {
  if (!(thrown instanceof Problem) || thrown.code !== 'INVALID_INPUT' || thrown.fields.length === 0) return thrown;
  const message = thrown.fields.map(({ field, message: text }) => {
    const [first = '', ...inner] = field.split('.');
    const found = fields.find(({ name }) => name === first);
    if (found === undefined) return field === '' ? text : `${field}: ${text}`;
    const isArgument = operation.command.arguments?.includes(found.name) === true;
    return `${[isArgument ? `<${found.word}>` : `--${found.word}`, ...inner].join('.')}: ${text}`;
  });
  return new Problem(thrown.code, message.join('; '), { fields: thrown.fields, cause: thrown });
}
