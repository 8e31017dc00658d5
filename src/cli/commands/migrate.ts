import { Command, Option } from 'commander';
import { DATABASE_NAMES } from '../../base/database-kinds';
import type { SqlStoreConfig } from '../../config/scheduler-config';
import type { CommandContext } from '../command';
import { type DatabaseOptions, databaseOrOwnConfig, OWN_CONFIG, warn, withDatabaseOptions } from '../database-options';
import { CommandFailure } from '../exit-codes';
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
  if (!options.print && !options.apply) throw new CommandFailure('USAGE', 'expected --print or --apply.');
  const { output } = context;
  const config = await storeConfig(options, context);
  const onWarning = (warning: string) => warn(output, warning, options.json);
  const { applySchema, printSchema } = await import('../../scheduler/database-tools');
  if (options.print) {
    const { statements, problems } = await printSchema(config, onWarning);
    if (options.json) output.json({ statements, problems });
    else printStatements(statements, output);
    if (problems.length > 0) throw new CommandFailure('DATABASE', faultsText(problems));
    if (statements.length === 0 && !options.json) output.note(UP_TO_DATE);
  } else {
    const { applied, warnings } = await applySchema(config, onWarning);
    for (const warning of warnings) onWarning(warning);
    if (options.json) output.json({ applied, warnings });
    else printApplied(applied, output);
  }
}

async function storeConfig(options: MigrateOptions, context: CommandContext): Promise<SqlStoreConfig> {
  const loaded = await databaseOrOwnConfig(options, context);
  const { sql } = loaded.config.jobStore;
  if (sql !== undefined) return sql;
  throw new CommandFailure(
    'CONFIGURATION',
    `expected a job store in a database (${DATABASE_NAMES.join(', ')}) in ${options.config ?? OWN_CONFIG}, found memory, which has no tables.`,
  );
}

function printStatements(statements: readonly string[], output: Output): void {
  for (const statement of statements) output.line(`${statement};\n`);
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
