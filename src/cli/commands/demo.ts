import { Command, InvalidArgumentError } from 'commander';
import type { Scheduler } from '../../api/scheduler';
import { SchedulerError, toError } from '../../base/errors';
import { systemRandom } from '../../base/ids';
import { withoutCredentials } from '../../base/secrets';
import type { Configuration } from '../../config/configuration';
import { DEFAULT_CONFIG } from '../../config/default-config';
import type { SqlStoreConfig } from '../../config/scheduler-config';
import { parseDuration } from '../../domain/time/duration';
import type { CommandContext } from '../command';
import { type DatabaseOptions, databaseConfig, databaseOf, withDatabaseOptions } from '../database-options';
import { CommandFailure, EXIT_CODES } from '../exit-codes';
import { portOption, wholeNumberOption } from '../option-values';
import type { Output } from '../output';
import type { ServedConsole } from '../serve-console';
import { listenForStop } from '../stop-signals';

interface DemoOptions extends DatabaseOptions {
  readonly for: number;
  readonly nodes: number;
  readonly json?: boolean;
  /** Port of the console. 0: any free port. */
  readonly http: number;
}

/** Minimum duration of the demo, because detecting and recovering a dead node takes this long. */
const MIN_MS = 15_000;

export function demoCommand(context: CommandContext, setExitCode: (code: number) => void): Command {
  return withDatabaseOptions(new Command('demo'))
    .description(
      'runs a cluster of three processes on one SQLite file (or on --url), kills one, and shows what happens',
    )
    .option('--for <duration>', 'duration, at least 15s', durationOption, 30_000)
    .option('--nodes <n>', 'number of processes, 2 to 9', wholeNumberOption(2, 9), 3)
    .option('--http <port>', 'port of the console, only on this machine; 0: any free port', portOption, 0)
    .option('--json', 'print only the address of the console and the summary, as JSON lines')
    .action(async (options: DemoOptions) => setExitCode(await demo(options, context)));
}

/** Exports of `demo/run-demo.ts`, a program that uses the package as any other program does. Compiled to `dist/demo`. */
export interface DemoProgram {
  runDemo(settings: {
    readonly durationMs: number;
    readonly nodes: number;
    readonly database: ReturnType<typeof demoDatabase> | 'memory' | null;
    readonly output: Output;
    readonly serve: (scheduler: Scheduler) => Promise<ServedConsole>;
    readonly signal: AbortSignal;
  }): Promise<{ readonly summary: object; readonly hasSucceeded: boolean; readonly sentences: readonly string[] }>;
}

async function demo(options: DemoOptions, context: CommandContext): Promise<number> {
  const { output } = context;
  const loaded = await databaseConfig(options, context);
  const sql = loaded && databaseOf(loaded, options, 'which several processes cannot share');
  const { runDemo } = require('../../demo/run-demo') as DemoProgram; // compiled to dist/demo, see DemoProgram
  const shown = options.json ? output.muted() : output;
  const signal = listenForStop();
  const database = sql === null ? await ownStore(options, output) : demoDatabase(sql, output);
  const where = sql === null ? 'one SQLite file' : withoutCredentials(sql.dataSource.url);
  shown.line(database === 'memory' ? '1 node in memory …' : `${options.nodes} nodes on ${where} …`);
  const serve = (scheduler: Scheduler) => serveDemo(scheduler, options, output);
  const settings = { durationMs: options.for, nodes: options.nodes, database, output: shown, serve, signal };
  const { summary, hasSucceeded, sentences } = await runDemo(settings).catch((thrown: unknown) => {
    if (thrown instanceof SchedulerError || thrown instanceof CommandFailure) throw thrown;
    if (signal.aborted) throw new CommandFailure('INTERRUPTED', 'the demo was interrupted.');
    throw new CommandFailure('FAILURE', toError(thrown).message, { cause: thrown });
  });
  if (options.json) output.json(summary);
  else for (const sentence of sentences) output.line(sentence);
  return EXIT_CODES[hasSucceeded ? 'OK' : 'FAILURE'].code;
}

/** Serves the console read-only, because actions of users would distort the results of the demo. */
async function serveDemo(scheduler: Scheduler, { http, json }: DemoOptions, output: Output): Promise<ServedConsole> {
  const { serveConsole } = await import('../serve-console');
  const served = await serveConsole(scheduler, {
    ...DEFAULT_CONFIG.console,
    port: http,
    tokenName: 'demo',
    readOnly: true,
  });
  const { url, pageUrl, token } = served;
  if (json) output.json({ type: 'console', url, pageUrl, token });
  return served;
}

/** Returns null for a SQLite file, or `memory` if SQLite cannot be loaded. Then a note gives the reason and what the demo does not show. */
async function ownStore({ json }: DemoOptions, output: Output): Promise<'memory' | null> {
  const { problemOfSqlite } = await import('../../scheduler/database-tools');
  const problem = problemOfSqlite();
  if (problem === null) return null;
  const notes = [
    `${json ? '' : output.noteStyle('yellow', 'warning: ')}${problem}`,
    'The demo runs one node in memory, without a cluster: no node is killed, and none recovers its runs.',
  ];
  for (const note of notes) json ? output.jsonNote({ note }) : output.note(note);
  return 'memory';
}

/**
 * Returns the database of `--url`, with a unique scheduler name. `erase` deletes the rows of this scheduler. It only warns about a failure, which must
 * not hide the result of the demo.
 */
function demoDatabase(sql: SqlStoreConfig, output: Output) {
  const schedulerName = `Demo-${systemRandom.token(8)}`;
  const { url, user, password, maxConnections } = sql.dataSource;
  const login = { ...(user === null ? {} : { user }), ...(password === null ? {} : { password }) };
  const config: Configuration = {
    jobStore: { class: 'sql', dataSource: 'demo', tablePrefix: sql.tablePrefix },
    dataSource: { demo: { URL: url, maxConnections, ...login } },
  };
  const node = { instanceName: schedulerName, instanceId: 'planner', timeZone: 'UTC', policy: DEFAULT_CONFIG.policy };
  const erase = async () => {
    const { eraseSchedule } = await import('../../scheduler/database-tools');
    await eraseSchedule({ ...node, sql }).catch((error: Error) =>
      output.note(
        `${output.noteStyle('yellow', 'warning:')} the rows of the demo could not be deleted (${error.message}). ` +
          `They have the SCHED_NAME '${schedulerName}', and do no harm.`,
      ),
    );
  };
  return { schedulerName, config, erase };
}

function durationOption(text: string): number {
  const duration = parseDuration(text);
  if (duration >= MIN_MS && duration < Number.POSITIVE_INFINITY) return duration;
  throw new InvalidArgumentError('Expected a duration of 15 seconds or more, such as 30s or 1m.');
}
