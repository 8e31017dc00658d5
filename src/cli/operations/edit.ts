import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { allOperations } from '../../operations/operations';
import type { CommandContext, Person } from '../command';
import { CommandFailure } from '../exit-codes';
import { entryOf, type OperationEntry } from './operation-entry';
import { readYaml } from './read-file';
import type { Target } from './target';

type Fields = Readonly<Record<string, unknown>>;

interface Editing {
  readonly entry: OperationEntry;
  readonly input: Fields;
  readonly target: Target;
  readonly context: CommandContext;
}

/**
 * The input of an edit that says what is to be changed; where it says nothing, what is stored goes to an editor, and what was changed there is
 * sent with the version that was read. Any other input is returned as it is. Null: nothing was changed.
 */
export async function editedInput({ entry, input, target, context }: Editing): Promise<Fields | null> {
  const show = showOf(entry);
  if (show === null) return input;
  const isKey = (name: string) => show.fields.some((field) => field.name === name);
  const isOfKey = (name: string) => isKey(name) || name === 'ifVersion';
  if (Object.keys(input).some((name) => !isOfKey(name))) return input;
  const { person, env } = context;
  if (person === undefined)
    throw new CommandFailure('USAGE', 'expected options or --file <file>, for there is no terminal to edit on.');
  const key = Object.fromEntries(Object.entries(input).filter(([name]) => isKey(name)));
  const shown = (await target.perform({ ...show, input: key })) as {
    readonly definition: Fields;
    readonly version: string;
  };
  const edited = await edit(shown.definition, person, env);
  const changes = edited === null ? null : changesOf(shown.definition, edited);
  return changes && { ifVersion: shown.version, ...input, ...changes };
}

/** The operation that shows what an edit changes; null: it is no edit. */
function showOf({ operation }: OperationEntry): OperationEntry | null {
  const [noun, verb] = operation.command.words;
  if (verb !== 'edit') return null;
  const found = allOperations().find(([, { command }]) => command.words.join(' ') === `${noun} show`);
  return found === undefined ? null : entryOf(...found);
}

/** The fields that have other values now, and the names of those that are gone; null: none. Throws CommandFailure for another key. */
export function changesOf(before: Fields, after: Fields): Fields | null {
  const renamed = ['name', 'group'].find((key) => key in after && !isSame(before[key], after[key]));
  if (renamed !== undefined)
    throw new CommandFailure(
      'USAGE',
      `The ${renamed} is its key, and cannot be changed: add another one, and remove this one.`,
    );
  const clear = Object.keys(before).filter((name) => !(name in after) && name !== 'name' && name !== 'group');
  const changed = Object.entries(after).filter(([name, value]) => !isSame(before[name], value));
  if (clear.length + changed.length === 0) return null;
  return { ...Object.fromEntries(changed), ...(clear.length === 0 ? {} : { clear }) };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What somebody makes of a definition in an editor; null: nothing. */
async function edit(definition: Fields, person: Person, env: CommandContext['env']): Promise<Fields | null> {
  const folder = await mkdtemp(join(tmpdir(), 'quartz-ts-edit-')); // this user's alone
  const file = join(folder, 'definition.yaml');
  try {
    const before = `${HEADER}${stringify(definition)}`;
    await writeFile(file, before, { mode: 0o600 });
    const editor = env.VISUAL || env.EDITOR || 'vi';
    const code = await person.edit(editor, file);
    if (code !== 0) throw new CommandFailure('DECLINED', `${editor} ended with exit code ${code}; nothing was done.`);
    const after = await readFile(file, 'utf8');
    return after === before ? null : toFields(readYaml(after, 'What was written'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const HEADER =
  '# Save and close to store it; leave it as it is to change nothing. *** stands for a secret that stays.\n';

function toFields(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new CommandFailure('DECLINED', 'Nothing was left of it; nothing was done.');
}
