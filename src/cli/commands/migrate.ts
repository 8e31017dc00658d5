import { Command, Option } from 'commander';
import type { CommandContext } from '../command';
import { type DatabaseOptions, databaseOf, databaseOrOwnConfig, warn, withDatabaseOptions } from '../database-options';
import { CommandFailure, usageError } from '../exit-codes';
import type { Output } from '../output';

interface MigrateOptions extends DatabaseOptions {
  readonly print?: boolean;
  readonly apply?: boolean;
}

export function migrateCommand(context: CommandContext): Command {
  return withDatabaseOptions(new Command('migrate'))
    .description('prints (--print) or runs (--apply) the SQL that creates or updates the tables of a job store')
    .addOption(new Option('--print', 'print the SQL statements without running them').conflicts('apply'))
    .option('--apply', 'run the SQL statements')
    .option('--json', 'print JSON')
    .action((options: MigrateOptions) => migrate(options, context));
}

async function migrate(options: MigrateOptions, context: CommandContext): Promise<void> {
  if (!options.print && !options.apply) throw usageError('expected --print or --apply.');
  const { output } = context;
  const config = databaseOf(await databaseOrOwnConfig(options, context), options, 'which has no tables');
  const onWarning = (warning: string) => warn(output, warning, options.json);
  const { applySchema, printSchema } = await import('../../scheduler/database-tools');
  if (options.print) {
    const { statements, problems } = await printSchema(config, onWarning);
    if (options.json) output.json({ statements, problems });
    else for (const statement of statements) output.line(`${statement};\n`);
    if (problems.length > 0) throw new CommandFailure('DATABASE', faultsText(problems));
    if (statements.length === 0 && !options.json) output.note(UP_TO_DATE);
  } else {
    const { applied, warnings } = await applySchema(config, onWarning);
    for (const warning of warnings) onWarning(warning);
    if (options.json) output.json({ applied, warnings });
    else printApplied(applied, output);
  }
}

function faultsText(problems: readonly string[]): string {
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  return `The tables have problems that no migration fixes. Fix them manually, or restore the tables from a backup:\n${list}`;
}

function printApplied(applied: readonly string[], output: Output): void {
  for (const name of applied) output.line(`${output.style('green', 'applied')}  ${name}`);
  if (applied.length === 0) output.line(UP_TO_DATE);
}

const UP_TO_DATE = 'The tables are up to date.';
