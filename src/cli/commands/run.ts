import { Command } from 'commander';
import type { Scheduler } from '../../api/scheduler';
import { SystemClock } from '../../base/clock';
import { SchedulerStateError } from '../../base/errors';
import { maskValue } from '../../base/secrets';
import { sleepFor } from '../../base/sleep';
import { loadConfig } from '../../config/load-config';
import type { ConsoleConfig } from '../../config/scheduler-config';
import type { SchedulerEvent } from '../../domain/scheduler-event';
import { type CommandContext, example } from '../command';
import { warn } from '../database-options';
import { EXIT_CODES, usageError } from '../exit-codes';
import { printEvent, printReport } from '../firing-lines';
import { loadJobsModule } from '../load-jobs-module';
import { durationOption, portOption } from '../option-values';
import type { Output } from '../output';
import { RunSummary } from '../run-summary';
import type { ServedConsole } from '../serve-console';
import { listenForStop } from '../stop-signals';

interface RunOptions {
  readonly config: string;
  readonly jobs: string;
  /** Duration in milliseconds. Absent: run until a signal arrives. */
  readonly for?: number;
  readonly json?: boolean;
  readonly log?: boolean;
  /** Port of the console. Absent: the port of the configuration, if it has one. */
  readonly http?: number;
  readonly httpHost?: string;
}

export function runCommand(context: CommandContext, setExitCode: (code: number) => void): Command {
  return new Command('run')
    .description('Runs a scheduler until SIGTERM or SIGINT. A second signal stops it immediately.')
    .requiredOption('--config <file>', 'configuration file (.yaml, .json or .properties)')
    .requiredOption('--jobs <module>', 'module that exports the jobs by job type (ESM or CommonJS)')
    .option('--for <duration>', 'stop after this duration: 30s, 5m, PT30S', durationOption)
    .option('--log', "also write the scheduler's log to standard error")
    .option('--json', 'print events as JSON lines, with a summary as the last line')
    .option('--http <port>', 'serve the console on this port instead of console.port; 0: any free port', portOption)
    .option('--http-host <host>', 'serve the console on this address instead of console.host')
    .addHelpText('after', example('run --config quartz.yaml --jobs ./jobs.mjs --for 30s'))
    .action(async (options: RunOptions) => setExitCode(await run(options, context)));
}

async function run(options: RunOptions, { output, env, folder }: CommandContext): Promise<number> {
  const clock = new SystemClock();
  const stop = listenForStop();
  const summary = new RunSummary();
  const ended = new AbortController();
  const note = (text: string) => (options.json ? output.jsonNote({ note: text }) : output.note(text));
  const onEvent = (event: SchedulerEvent) => {
    summary.record(event);
    if (event.type === 'schedulerShutdown') ended.abort();
    if (options.json) output.json(maskValue(event), JOB_DATA);
    else printEvent(event, output);
  };
  const jobs = await loadJobsModule(options.jobs, folder);
  const { assemble } = await import('../../scheduler/assemble');
  const loaded = await loadConfig(options.config, env);
  const { scheduler } = await assemble(loaded, {
    jobs,
    // A plugin is installed before the schedule is read, so that no event is missed.
    plugins: [{ name: 'command-line', install: ({ scheduler }) => void scheduler.subscribe(onEvent) }],
    ...(options.log ? {} : { logger: (await import('pino')).pino({ level: 'silent' }) }),
    // The process runs nothing but the scheduler, and a supervisor can restart it.
    onLeaseLost: 'exit-process',
  });
  const served = await serveIfConfigured(scheduler, options, loaded.config.console);
  if (served !== null) announceConsole(served, { output, json: options.json ?? false });
  const startedAt = clock.now();
  const over = AbortSignal.any([stop, ended.signal]);
  if (await isEmptyOnceStarted(scheduler, over)) note(NOTHING_SCHEDULED);
  await sleepFor(clock, options.for ?? Number.POSITIVE_INFINITY, over);
  if (stop.aborted)
    note(
      `${stop.reason}: waiting for running jobs to finish. The next SIGINT or SIGTERM stops the process immediately.`,
    );
  await scheduler.shutdown({ waitForJobs: true });
  await served?.close();
  const report = summary.report({ startedAt, endedAt: clock.now() });
  if (options.json) output.json(report);
  else printReport(report, output);
  return EXIT_CODES[report.abandonedJobs > 0 ? 'ABANDONED' : 'OK'].code;
}

/** Serves the console if a port is set, otherwise returns null. If serving fails, shuts the scheduler down and rejects. */
async function serveIfConfigured(
  scheduler: Scheduler,
  { http, httpHost }: RunOptions,
  configured: ConsoleConfig,
): Promise<ServedConsole | null> {
  const port = http ?? configured.port;
  try {
    if (port === null && httpHost !== undefined) throw usageError(HOST_WITHOUT_PORT);
    if (port === null) return null;
    const { tokens, users, host } = configured;
    const namesSomebody = Object.keys(tokens).length + Object.keys(users).length > 0;
    const { serveConsole } = await import('../serve-console');
    const where = { ...configured, port, host: httpHost ?? host, tokenName: namesSomebody ? null : 'run' };
    return await serveConsole(scheduler, where);
  } catch (error) {
    await scheduler.shutdown();
    throw error;
  }
}

const HOST_WITHOUT_PORT = '--http-host: expected also --http <port>, or console.port in the configuration.';

function announceConsole(
  { url, pageUrl, token, isOpen }: ServedConsole,
  { output, json }: { output: Output; json: boolean },
): void {
  const withToken = `Console, with a token that is valid until this process ends and shown only here: ${pageUrl}`;
  const plain = `Console, for the tokens and users of the configuration: ${url}`;
  if (json) output.jsonNote({ note: `Console at ${url}`, url, ...(token === null ? {} : { token }) });
  else output.note(token === null ? plain : withToken);
  if (isOpen) warn(output, NOT_ENCRYPTED, json);
}

const NOT_ENCRYPTED =
  'the connection to the console is not encrypted. Use a proxy with TLS, or set console.tls.cert and console.tls.key.';

/** Fields of events that contain job data, which may include secrets. */
const JOB_DATA = ['data', 'jobData'];

/** Starts the scheduler. Resolves to true if no triggers are stored. Ignores an error after a signal: the shutdown hook has shut it down. */
async function isEmptyOnceStarted(scheduler: Scheduler, over: AbortSignal): Promise<boolean> {
  try {
    await scheduler.start();
    return (await scheduler.listTriggers({ limit: 1 })).items.length === 0;
  } catch (error) {
    if (over.aborted && error instanceof SchedulerStateError) return false;
    throw error;
  }
}

const NOTHING_SCHEDULED =
  'Nothing is scheduled. Add a schedule file to the configuration: plugin.<name>.class: scheduleFile, fileNames: …';
