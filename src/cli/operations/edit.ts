import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isRecord } from '../../base/is-record';
import { readYaml } from '../../config/read-yaml';
import { allOperations } from '../../operations/operations';
import type { CommandContext, Person } from '../command';
import { CommandFailure, usageError } from '../exit-codes';
import { entryOf, type OperationEntry } from './operation-entry';
import type { Target } from './target';

type Fields = Readonly<Record<string, unknown>>;

interface Editing {
  readonly entry: OperationEntry;
  readonly input: Fields;
  readonly target: Target;
  readonly context: CommandContext;
}

/**
 * Calls `use` with the changes in the input of an edit command. Without any, opens the stored definition in an editor, and passes the edits together
 * with the version that was read, so that a concurrent change is detected. Keeps the edited file if they cannot be stored. Rejects with
 * CommandFailure if no terminal can open the editor.
 */
export async function withEdited(editing: Editing, use: (input: Fields) => Promise<void>): Promise<void> {
  const { entry, input, target, context } = editing;
  const show = showOf(entry);
  const isKey = (name: string) => show?.fields.some((field) => field.name === name) === true;
  if (show === null || Object.keys(input).some((name) => !isKey(name) && name !== 'ifVersion')) return use(input);
  const { person, output } = context;
  if (person === undefined)
    throw usageError('expected options or --file <file>, because there is no terminal to edit on.');
  const key = Object.fromEntries(Object.entries(input).filter(([name]) => isKey(name)));
  const shown = (await target.perform({ ...show, input: key })) as {
    readonly definition: Fields;
    readonly version: string;
  };
  await edit(shown.definition, { person, context }, async (edited) => {
    const changes = changesOf(shown.definition, edited);
    if (changes === null) output.note('Nothing was changed.');
    else await use({ ifVersion: shown.version, ...input, ...changes });
  });
}

/** Returns the operation that shows the object of an edit command. Returns null if the operation is not an edit. */
function showOf({ operation }: OperationEntry): OperationEntry | null {
  const [noun, verb] = operation.command.words;
  if (verb !== 'edit') return null;
  const found = allOperations().find(([, { command }]) => command.words.join(' ') === `${noun} show`);
  return found === undefined ? null : entryOf(...found);
}

/** Returns the changed fields, with removed ones in `clear`; null if nothing changed. Throws CommandFailure for another name or group. */
function changesOf(before: Fields, after: Fields): Fields | null {
  const renamed = ['name', 'group'].find((key) => key in after && !isSame(before[key], after[key]));
  if (renamed !== undefined)
    throw usageError(
      `The ${renamed} is part of the key and cannot be changed. Add an item with the new key and delete this item.`,
    );
  const clear = Object.keys(before).filter((name) => !(name in after) && name !== 'name' && name !== 'group');
  const changed = Object.entries(after).filter(([name, value]) => !isSame(before[name], value));
  if (clear.length + changed.length === 0) return null;
  return { ...Object.fromEntries(changed), ...(clear.length === 0 ? {} : { clear }) };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Opens a definition in an editor and calls `use` with the result. If `use` rejects, keeps the edited file and prints its path. */
async function edit(
  definition: Fields,
  { person, context: { env, output } }: { readonly person: Person; readonly context: CommandContext },
  use: (edited: Fields) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quartz-ts-edit-')); // accessible only to this user
  const file = join(folder, 'definition.yaml');
  let isKept = false;
  try {
    const before = `${HEADER}${stringify(definition)}`;
    await writeFile(file, before, { mode: 0o600 });
    const editor = env.VISUAL || env.EDITOR || 'vi';
    const code = await person.edit(editor, file);
    if (code !== 0)
      throw new CommandFailure('DECLINED', `${editor} ended with exit code ${code}. Nothing was changed.`);
    const after = await readFile(file, 'utf8');
    isKept = after !== before;
    await use(isKept ? toFields(readYaml(after, file).data) : definition);
    isKept = false;
  } finally {
    if (isKept) output.note(`Your text is kept in ${file}. You can pass it as --file.`);
    else await rm(folder, { recursive: true, force: true });
  }
}

const HEADER = '# Save and close to store it. Close it unchanged to change nothing. *** keeps a secret.\n';

function toFields(value: unknown): Fields {
  if (isRecord(value)) return value;
  const found = value === null || value === undefined ? 'an empty file' : 'other text';
  throw new CommandFailure('DECLINED', `expected a map of fields and values, found ${found}. Nothing was changed.`);
}
