import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { allOperations } from '../../operations/operations';
import type { CommandContext, Person } from '../command';
import { CommandFailure } from '../exit-codes';
import { entryOf, type OperationEntry } from './operation-entry';
import { definitionField, readYaml } from './read-file';
import type { Target } from './target';

interface Editing {
  readonly entry: OperationEntry;
  readonly input: Readonly<Record<string, unknown>>;
  readonly target: Target;
  readonly context: CommandContext;
}

/** The field that carries the version of what an edit was made from. */
const VERSION_FIELD = 'ifVersion';

/**
 * The input of an edit, whole: what is stored is read for its version where none was given, and for its definition, which is handed to an
 * editor where no file was given. Any other input is returned as it is. Null: it was not changed.
 */
export async function editedInput(editing: Editing): Promise<Readonly<Record<string, unknown>> | null> {
  const { entry, input, target, context } = editing;
  const field = definitionField(entry);
  const show = showOf(entry);
  if (field === null || show === null || !entry.fields.some(({ name }) => name === VERSION_FIELD)) return input;
  const isGiven = input[field] !== undefined;
  if (isGiven && input[VERSION_FIELD] !== undefined) return input;
  if (!isGiven && context.person === undefined)
    throw new CommandFailure('USAGE', 'expected --file <file>, for there is no terminal to edit on.');
  const names = show.fields.map(({ name }) => name).filter((name) => input[name] !== undefined);
  const key = Object.fromEntries(names.map((name) => [name, input[name]]));
  const shown = (await target.perform({ ...show, input: key })) as {
    readonly definition: unknown;
    readonly version: unknown;
  };
  const version = input[VERSION_FIELD] ?? shown.version;
  if (isGiven) return { ...input, [VERSION_FIELD]: version };
  const edited = await edit(shown.definition, context.person as Person, context.env);
  return edited === null ? null : { ...input, [field]: edited.value, [VERSION_FIELD]: version };
}

/** The operation that shows what an edit changes; null: there is none. */
function showOf({ operation }: OperationEntry): OperationEntry | null {
  const [noun, verb] = operation.command.words;
  if (verb !== 'edit') return null;
  const found = allOperations().find(([, { command }]) => command.words.join(' ') === `${noun} show`);
  return found === undefined ? null : entryOf(...found);
}

/** What somebody makes of a definition in an editor; null: nothing. */
async function edit(
  definition: unknown,
  person: Person,
  env: CommandContext['env'],
): Promise<{ value: unknown } | null> {
  const folder = await mkdtemp(join(tmpdir(), 'quartz-ts-edit-')); // readable by this user alone
  const file = join(folder, 'definition.yaml');
  try {
    const before = stringify(definition);
    await writeFile(file, `${HEADER}${before}`, { mode: 0o600 });
    const editor = env.VISUAL ?? env.EDITOR ?? 'vi';
    const code = await person.edit(editor, file);
    if (code !== 0)
      throw new CommandFailure('DECLINED', `${editor} ended with exit code ${code}; nothing was changed.`);
    const after = await readFile(file, 'utf8');
    return after === `${HEADER}${before}` ? null : { value: readYaml(after, 'what was written') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const HEADER =
  '# Save and close to store it; leave it as it is to change nothing. *** stands for a secret that stays.\n';
