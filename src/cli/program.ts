import { Command, CommanderError } from 'commander';
import { VERSION } from '../base/version';
import type { CommandContext } from './command';
import { completionCommand } from './commands/completion';
import { consoleCommand } from './commands/credentials';
import { cronCommand } from './commands/cron';
import { demoCommand } from './commands/demo';
import { initCommand } from './commands/init';
import { migrateCommand } from './commands/migrate';
import { planCommand } from './commands/plan';
import { runCommand } from './commands/run';
import { validateCommand } from './commands/validate';
import { EXIT_CODES, reportFailure } from './exit-codes';
import { addOperationCommands, addOptions } from './operations/operation-commands';
import { tailCommand } from './operations/tail-command';
import { topCommand } from './operations/top-command';

/** Runs one command line. Resolves to the exit code. Never rejects. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<number> {
  let exitCode: number = EXIT_CODES.OK.code;
  const program = buildProgram(context, (code) => {
    exitCode = code;
  });
  const words = args.length === 0 ? ['--help'] : args;
  try {
    await program.parseAsync(withListed(withoutHelpCommand(words, program), program), { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT_CODES.OK.code;
    return reportFailure(thrown, { output: context.output, json: args.includes('--json') });
  }
}

/** Builds the program with all commands. A command calls `setExitCode` to end without an error but with a code other than 0. */
function buildProgram(context: CommandContext, setExitCode: (code: number) => void): Command {
  const { output } = context;
  const program = new Command('quartz')
    .description('The Quartz scheduler: runs schedules, explains cron expressions, checks files.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'Prints help for a command.')
    // Allows commands to define options that the program also has, such as `--version`.
    .enablePositionalOptions()
    .showHelpAfterError('Use --help to see the options.')
    .addHelpText('after', `\nExit codes:\n${exitCodeLines().join('\n')}`);
  program.addCommand(demoCommand(context, setExitCode));
  program.addCommand(runCommand(context, setExitCode));
  program.addCommand(consoleCommand(context));
  program.addCommand(cronCommand(context));
  program.addCommand(validateCommand(context, setExitCode));
  program.addCommand(new Command('schedule').addCommand(planCommand(context, setExitCode)));
  program.addCommand(migrateCommand(context));
  program.addCommand(initCommand(context));
  program.addCommand(tailCommand(context));
  program.addCommand(topCommand(context));
  addOperationCommands(program, context, setExitCode);
  program.addCommand(completionCommand(context, () => complete(program)));
  for (const command of withDescendants(program)) {
    command.copyInheritedSettings(program).exitOverride();
    command.configureOutput({
      writeOut: (text) => output.line(text.trimEnd()),
      // `reportFailure` reports errors, as text or JSON.
      writeErr: () => {},
    });
  }
  return program;
}

/** Returns the program with the options of all its commands. */
function complete(program: Command): Command {
  addOptions(withDescendants(program));
  return program;
}

function withDescendants(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

/** Inserts the default subcommand of a group, `list`, `show` or `check`: `jobs --json` becomes `jobs list --json`. */
function withListed(args: readonly string[], program: Command): readonly string[] {
  const [word, next] = args;
  const isLast = next === undefined || (next.startsWith('-') && !['-h', '--help'].includes(next));
  const group = program.commands.find((each) => each.name() === word);
  if (!isLast || word === undefined || group === undefined) return args;
  addOptions(group.commands);
  const isPlain = ({ registeredArguments }: Command) => registeredArguments.length === 0;
  const verb = ['list', 'show', 'check'].find((name) =>
    group.commands.some((each) => each.name() === name && isPlain(each)),
  );
  return verb === undefined ? args : [word, verb, ...args.slice(1)];
}

/**
 * Rewrites `help cron next` and `cron help next` to `cron next --help`, because Commander's command would end with the exit code that
 * the process has so far. An unknown word is left for the parser, which rejects it.
 */
function withoutHelpCommand(args: readonly string[], program: Command): readonly string[] {
  const at = args.indexOf('help');
  if (at === -1) return args;
  const groups = args.slice(0, at);
  let command = groups.reduce<Command | undefined>(subcommand, program);
  if (command === undefined || command.commands.length === 0) return args;
  const path = [...groups];
  for (const word of args.slice(at + 1)) {
    if (command.commands.length === 0) break;
    const found = subcommand(command, word);
    path.push(word);
    if (found === undefined) return path;
    command = found;
  }
  return [...path, '--help'];
}

function subcommand(command: Command | undefined, word: string): Command | undefined {
  return command?.commands.find((each) => each.name() === word);
}

function exitCodeLines(): readonly string[] {
  return Object.values(EXIT_CODES).map(({ code, when }) => `  ${String(code).padStart(3)}  ${when}`);
}
