import { Command, InvalidArgumentError } from 'commander';
import { SchedulerError, toError } from '../../base/errors';
import { systemRandom } from '../../base/ids';
import { withoutCredentials } from '../../base/secrets';
import type { Configuration } from '../../config/configuration';
import type { SqlStoreConfig } from '../../config/scheduler-config';
import { eraseSchedule } from '../../scheduler/database-tools';
import type { CommandContext } from '../command';
import { type DatabaseOptions, databaseConfig, withDatabaseOptions } from '../database-options';
import { CommandFailure, EXIT_CODES } from '../exit-codes';
import type { Output } from '../output';
import { parseDuration } from '../parse-duration';
import { listenForStop } from '../stop-signals';

interface DemoOptions extends DatabaseOptions {
  readonly for: number;
  readonly nodes: number;
  readonly json?: boolean;
}

/** Less is not enough to declare a node dead and to recover from it. */
const SHORTEST_MS = 15_000;

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

/** What `demo/run-demo.ts` exports: a program like any other that uses this package, compiled to `dist/demo`. */
export interface DemoProgram {
  runDemo(settings: {
    readonly durationMs: number;
    readonly nodes: number;
    readonly database: ReturnType<typeof demoDatabase> | null;
    readonly output: Output;
    readonly signal: AbortSignal;
  }): Promise<{ readonly summary: object; readonly hasSucceeded: boolean; readonly sentences: readonly string[] }>;
}

async function demo(options: DemoOptions, context: CommandContext): Promise<number> {
  const { output } = context;
  const loaded = await databaseConfig(options, context);
  const sql = loaded?.config.jobStore.sql ?? null;
  if (loaded !== null && sql === null) {
    throw new CommandFailure(
      'CONFIGURATION',
      `expected a job store in a database (sqlite, mysql) in ${options.config}, found memory, which processes cannot share.`,
    );
  }
  const { runDemo } = require('../../demo/run-demo') as DemoProgram; // in dist/demo, see above
  const shown = options.json ? output.muted() : output;
  const signal = listenForStop();
  const where = sql === null ? 'one SQLite file' : withoutCredentials(sql.dataSource.url);
  shown.line(`${options.nodes} nodes on ${where} …`);
  const database = sql === null ? null : demoDatabase(sql);
  const settings = { durationMs: options.for, nodes: options.nodes, database, output: shown, signal };
  const { summary, hasSucceeded, sentences } = await runDemo(settings).catch((thrown: unknown) => {
    if (thrown instanceof SchedulerError) throw thrown;
    if (signal.aborted) throw new CommandFailure('INTERRUPTED', 'the demo was interrupted.');
    throw new CommandFailure('FAILURE', toError(thrown).message, { cause: thrown });
  });
  if (options.json) output.json(summary);
  else for (const sentence of sentences) output.line(sentence);
  return EXIT_CODES[hasSucceeded ? 'OK' : 'FAILURE'].code;
}

/** Somebody's database, under a scheduler name that no other scheduler has. Tables that were missing stay: others may use them by then. */
function demoDatabase(sql: SqlStoreConfig) {
  const schedulerName = `Demo-${systemRandom.token(8)}`;
  const { url, user, password, maxConnections } = sql.dataSource;
  const login = { ...(user === null ? {} : { user }), ...(password === null ? {} : { password }) };
  const config: Configuration = {
    jobStore: { class: 'sql', dataSource: 'demo', tablePrefix: sql.tablePrefix },
    dataSource: { demo: { URL: url, maxConnections, ...login } },
  };
  const node = { instanceName: schedulerName, instanceId: 'planner', timeZone: 'UTC' };
  return { schedulerName, config, erase: () => eraseSchedule({ ...node, sql }) };
}

function durationOption(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null && duration >= SHORTEST_MS) return duration;
  throw new InvalidArgumentError('Expected a duration of 15 seconds or more, such as 30s or 1m.');
}

function nodesOption(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 2 && count <= 9) return count;
  throw new InvalidArgumentError('Expected a whole number from 2 to 9.');
}
