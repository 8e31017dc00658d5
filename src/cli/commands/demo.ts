import { Command, InvalidArgumentError } from 'commander';
import { withoutCredentials } from '../../base/secrets';
import type { CommandContext } from '../command-context';
import { type DatabaseOptions, databaseConfig, withDatabaseOptions } from '../database-options';
import { CommandFailure, EXIT_CODES } from '../exit-codes';
import { parseDuration } from '../parse-duration';
import { listenForStop } from '../stop-signals';

interface DemoOptions extends DatabaseOptions {
  readonly for: number;
  readonly nodes: number;
  readonly json?: boolean;
}

/** Less is not enough to notice a death and to recover from it. */
const SHORTEST = 15_000;

/** `demo`: a cluster of three processes, of which one is killed. */
export function demoCommand(context: CommandContext, setExitCode: (code: number) => void): Command {
  return withDatabaseOptions(new Command('demo'))
    .description(
      'runs a cluster of three processes on one SQLite file (or on --url), kills one, and shows what happens',
    )
    .option('--for <duration>', 'how long: 15s or more', durationOption, 30_000)
    .option('--nodes <n>', 'how many processes, 2 to 9', nodesOption, 3)
    .option('--json', 'print only the summary, as JSON')
    .action(async (options: DemoOptions) => setExitCode(await demo(options, context)));
}

async function demo(options: DemoOptions, context: CommandContext): Promise<number> {
  const { output } = context;
  const loaded = await databaseConfig(options, context);
  const sql = loaded === null ? null : (loaded.config.jobStore.sql ?? null);
  if (loaded !== null && sql === null) {
    throw new CommandFailure(
      'CONFIGURATION',
      `expected a job store in a database (sqlite, mysql) in ${options.config}, found memory, which processes cannot share.`,
    );
  }
  const { runDemo } = await import('../demo/run-demo');
  const { keptPromises } = await import('../demo/demo-verdict');
  const { describeVerdict } = await import('../demo/demo-view');
  const shown = options.json ? output.muted() : output;
  const signal = listenForStop();
  const where = sql === null ? 'one SQLite file' : withoutCredentials(sql.dataSource.url);
  shown.line(`${options.nodes} nodes on ${where} …`);
  const verdict = await runDemo({ duration: options.for, nodes: options.nodes, sql, output: shown, signal });
  if (options.json) output.json(verdict);
  else for (const line of describeVerdict(verdict)) output.line(line);
  return EXIT_CODES[keptPromises(verdict) ? 'OK' : 'FAILURE'].code;
}

function durationOption(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null && duration >= SHORTEST) return duration;
  throw new InvalidArgumentError('Expected a duration of 15 seconds or more, such as 30s or 1m.');
}

function nodesOption(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 2 && count <= 9) return count;
  throw new InvalidArgumentError('Expected a whole number from 2 to 9.');
}
