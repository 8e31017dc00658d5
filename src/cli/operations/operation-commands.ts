import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { MAX_TIME, SystemClock } from '../../base/clock';
import { ConfigurationError } from '../../config/problem';
import { readYaml } from '../../config/read-yaml';
import { parseKey } from '../../domain/keys';
import { parseDuration } from '../../domain/time/duration';
import { parseIsoTime } from '../../domain/time/iso-time';
import { systemTimeZone } from '../../domain/time/system-time-zone';
import { timeZoneOf } from '../../domain/time/time-zone';
import { choiceMessage } from '../../operations/choice-message';
import type { Operation } from '../../operations/operation';
import { allOperations, type OperationName } from '../../operations/operations';
import type { CommandContext } from '../command';
import { EXIT_CODES } from '../exit-codes';
import { entryOf, groupFieldIn, type InputField, type OperationEntry } from './operation-entry';
import { type Given, performCommand } from './perform-command';
import { withTargetOptions } from './target';

export function addOperationCommands(
  program: Command,
  context: CommandContext,
  setExitCode: (code: number) => void,
): void {
  const perform = async (entry: OperationEntry, given: Given) =>
    setExitCode(EXIT_CODES[await performCommand(entry, given, context)].code);
  for (const [name, operation] of allOperations()) {
    for (const words of [operation.command.words, ...(operation.command.aliases ?? [])]) {
      const parent = words.slice(0, -1).reduce(groupOf, program);
      const word = words.at(-1) as string;
      // Skips an alias that is also a group, which runs the same operation without a subcommand: `overview` runs `overview show`.
      if (!parent.commands.some((each) => each.name() === word))
        parent.addCommand(new OperationCommand(word, [name, operation], perform));
    }
  }
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    if (group.description() === '') group.description(`${group.commands.map((each) => each.name()).join(', ')}`);
  }
  for (const parent of [program, ...program.commands]) {
    parent.hook('preSubcommand', (_, command) => addOptions([command]));
    parent.addHelpText('before', () => {
      addOptions(parent.commands);
      return '';
    });
  }
}

/** Adds the options of these commands if they are commands of operations and do not have them yet. */
export function addOptions(commands: readonly Command[]): void {
  for (const command of commands) if (command instanceof OperationCommand) command.addOptions();
}

function groupOf(parent: Command, word: string): Command {
  const found = parent.commands.find((each) => each.name() === word);
  if (found !== undefined) return found;
  const group = new Command(word);
  parent.addCommand(group);
  return group;
}

type Perform = (entry: OperationEntry, given: Given) => Promise<void>;

/** Command of one operation. Its options are added before it is parsed or shown: all of them would double the start time of every command. */
class OperationCommand extends Command {
  #isComplete = false;
  readonly #of: readonly [OperationName, Operation];
  readonly #perform: Perform;

  constructor(word: string, of: readonly [OperationName, Operation], perform: Perform) {
    super(word);
    this.description(of[1].summary);
    this.#of = of;
    this.#perform = perform;
  }

  addOptions(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    const entry = entryOf(...this.#of);
    const { operation, fields, isPaged, takesFile, isBulk } = entry;
    const positions = operation.command.arguments ?? [];
    for (const name of positions) {
      const field = fields.find((each) => each.name === name) as InputField; // a test checks that every argument has a field
      this.addArgument(argumentOf(field, entry));
    }
    for (const field of fields) if (!positions.includes(field.name)) addOption(this, field, entry);
    if (isPaged) this.option('--all', 'print all pages, starting at --after');
    if (takesFile) this.option('--file <file>', 'YAML or JSON file with the definition; - for standard input');
    if (isBulk) this.option('--yes', 'change all matches; without it, the command is a dry run that lists them');
    else if (operation.effect === 'destroys') this.option('--yes', 'do not ask for confirmation');
    withTargetOptions(this).option('--json', 'print JSON');
    this.action(async (...given: readonly unknown[]) => {
      const texts = given.slice(0, positions.length);
      const byPosition = Object.fromEntries(positions.map((name, index) => [name, texts[index]]));
      await this.#perform(entry, { byPosition, options: this.opts() });
    });
  }
}

function argumentOf(field: InputField, entry: OperationEntry): Argument {
  const { fields, takesFile, operation } = entry;
  if (operation.command.textField !== undefined)
    return new Argument(`<${field.word}>`, 'YAML or JSON file; - for standard input.');
  const isNeeded = field.isRequired && !takesFile;
  const dots = field.isList ? '...' : '';
  const group = groupFieldIn(fields, field);
  const hint =
    group === undefined && field.kind !== 'key'
      ? ''
      : group === undefined
        ? ' group/name, or a name in the group DEFAULT.'
        : ` group/name, or a name with --${group.word}.`;
  const name = isNeeded ? `<${field.word}${dots}>` : `[${field.word}${dots}]`;
  const argument = new Argument(name, `${descriptionOf(field, entry)}${hint}`);
  return field.isList ? argument : argument.argParser((text: string) => readText(field, text, now()));
}

function addOption(command: Command, field: InputField, entry: OperationEntry): void {
  const { word, kind, isRequired, byDefault, choices } = field;
  const description = descriptionOf(field, entry);
  if (kind === 'flag') {
    if (byDefault !== true) command.addOption(new Option(`--${word}`, description));
    if (byDefault !== false)
      command.addOption(new Option(`--no-${word}`, byDefault === true ? withoutIt(description) : 'the opposite'));
    // Commander sets a flag that only has the form `--no-…` to true. Undefined leaves the default to the operation.
    command.setOptionValue(field.name, undefined);
    return;
  }
  const option = new Option(`--${word} <${placeholderOf(field)}>`, description);
  if (choices !== null) option.choices(choices);
  option.argParser((text: string, before: unknown) => {
    if (choices !== null && !choices.includes(text))
      throw new InvalidArgumentError(sentence(choiceMessage(text, choices)));
    const value = readText(field, text, now());
    return field.isList ? [...((before as readonly unknown[] | undefined) ?? []), value] : value;
  });
  if (isRequired && !entry.takesFile) option.makeOptionMandatory();
  command.addOption(option);
}

const now = () => new SystemClock({ keepsAlive: false }).now();

const withoutIt = (description: string) => `Without it: ${description[0]?.toLowerCase()}${description.slice(1)}`;

/** Returns the description, with the default and whether it can be repeated, and with names of options instead of fields. */
function descriptionOf({ description, byDefault, kind, isList }: InputField, { fields }: OperationEntry): string {
  const text = description.replace(/`(\w+)`/g, (_, name: string) => {
    const found = fields.find((field) => field.name === name);
    return found === undefined ? name : `--${found.word}`;
  });
  const times = isList && kind !== 'flag' ? ['may be repeated'] : [];
  const defaults = byDefault === undefined || kind === 'flag' ? [] : [`default: ${textOf(byDefault)}`];
  const more = [...times, ...defaults].join('; ');
  return more === '' ? text : `${text} (${more})`;
}

function placeholderOf({ kind, word, choices, name }: InputField): string {
  if (choices !== null) return word;
  if (kind === 'yaml') return 'yaml';
  if (kind === 'key') return 'name';
  if (kind === 'number') return 'n';
  if (kind === 'time') return 'time';
  return /^(job|trigger|calendar|node)$|[Gg]roup$/.test(name) ? 'name' : 'text';
}

/** Formats a message as a sentence, because commander prints the message after the name of the option. */
const sentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`;

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Converts the text of an option or argument to its field's type. Throws commander's InvalidArgumentError for invalid text. */
function readText({ kind }: Pick<InputField, 'kind'>, text: string, now: number): unknown {
  switch (kind) {
    case 'number':
      if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text);
      throw new InvalidArgumentError('Expected a number.');
    case 'time':
      return readTime(text, now);
    case 'yaml':
      return readInlineYaml(text);
    case 'key':
      return text.includes('/') ? parseKey(text) : text;
    default:
      return text;
  }
}

/** Converts `now`, `-90m`, `+2h` or an ISO-8601 time to UTC. A time without offset is local. Throws commander's InvalidArgumentError otherwise. */
function readTime(text: string, now: number): string {
  const time = text === 'now' ? now : (relativeTime(text, now) ?? parseIsoTime(text, timeZoneOf(systemTimeZone())));
  if (time !== null && Math.abs(time) <= MAX_TIME) return new Date(time).toISOString();
  throw new InvalidArgumentError("Expected a time such as 2027-03-01T06:00Z, 2027-03-01, now, '-90m' or +2h.");
}

function relativeTime(text: string, now: number): number | null {
  const [, sign, rest = ''] = /^([+-])(.+)$/.exec(text) ?? [];
  const duration = sign === undefined ? Number.NaN : Math.round(parseDuration(rest));
  return Number.isNaN(duration) ? null : now + (sign === '-' ? -duration : duration);
}

/** Parses `3`, `R5/PT5M`, `[a, b]`, `{ max: 3 }` or JSON. Throws commander's InvalidArgumentError for invalid YAML. */
function readInlineYaml(text: string): unknown {
  try {
    return readYaml(text, 'the value').data;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new InvalidArgumentError("Expected YAML or JSON, in quotes: '{ to: ops }'. For longer values use --file.");
  }
}
