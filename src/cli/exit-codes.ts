import { CommanderError } from 'commander';
import { SchedulerError, toError } from '../base/errors';
import { printable } from '../base/printable';
import { withoutCredentials } from '../base/secrets';
import { ConfigurationError } from '../config/problem';
import { meaningOf, Problem } from '../operations/problem';
import type { Output } from './output';

/** Exit codes of all commands. They never change. A test compares this table with docs/reference/command-line.md. */
export const EXIT_CODES = {
  OK: { code: 0, when: 'Success. `run`: stopped by `--for` or by one signal, after all running jobs had ended.' },
  FAILURE: { code: 1, when: 'Unexpected error, described in the message. Please report it if it looks like a bug.' },
  USAGE: { code: 2, when: 'A command, option or argument is wrong or missing.' },
  CONFIGURATION: { code: 3, when: 'A configuration or schedule file has problems. Each is listed with its position.' },
  EXPRESSION: { code: 4, when: 'A cron expression or a time zone is invalid.' },
  JOBS_MODULE: { code: 5, when: 'The module of `--jobs` cannot be loaded or exports no jobs.' },
  ABANDONED: { code: 6, when: '`run` stopped while jobs were still running at the end of the shutdown deadline.' },
  DATABASE: { code: 7, when: 'The database of the job store is unreachable, or its tables are unusable.' },
  CHANGES: {
    code: 8,
    when: '`schedule plan`: applying the files would change something. The changes are on standard output.',
  },
  NOT_FOUND: { code: 9, when: 'Nothing has that name, key or id.' },
  CONFLICT: {
    code: 10,
    when: 'Conflict with stored data: it already exists, is in use, or was changed by someone else.',
  },
  FORBIDDEN: {
    code: 11,
    when: 'The server rejected the token (missing or invalid), or the role does not allow the operation.',
  },
  SERVER: { code: 12, when: 'The server of `--server` is unreachable, or is not a console of quartz-ts.' },
  DECLINED: { code: 13, when: 'The confirmation was declined. Nothing was changed.' },
  PROBLEMS: {
    code: 14,
    when: '`doctor` found a problem: something does not fire. Only warnings and notes: exit code 0.',
  },
  INTERRUPTED: { code: 130, when: 'A second SIGINT stopped `run` immediately.' },
  FENCED: {
    code: 137,
    when: '`run` lost its lease and ended itself with SIGKILL, after a line on standard error (`jobStore.onLeaseLost`). Restart it.',
  },
  TERMINATED: { code: 143, when: 'A second SIGTERM stopped `run` immediately.' },
} as const;

export type ExitReason = keyof typeof EXIT_CODES;

/** Error that ends a command, with a message for the user and an exit code for scripts. */
export class CommandFailure extends Error {
  readonly reason: ExitReason;

  constructor(reason: ExitReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandFailure';
    this.reason = reason;
  }
}

export function usageError(message: string): CommandFailure {
  return new CommandFailure('USAGE', message);
}

/** Writes a failure to standard error, as text or as JSON. Returns the exit code. */
export function reportFailure(
  thrown: unknown,
  { output, json }: { readonly output: Output; readonly json: boolean },
): number {
  const error = toError(thrown);
  const reason = reasonOf(error);
  const { code } = EXIT_CODES[reason];
  const message = messageOf(error, reason);
  if (json) {
    const problems = problemsOf(error);
    output.jsonNote({ error: { reason, exitCode: code, ...codeOf(error), message, ...problems } });
  } else {
    output.note(`${output.noteStyle('red', 'error:')} ${message.split('\n').map(printable).join('\n')}`);
  }
  return code;
}

function reasonOf(error: Error): ExitReason {
  if (error instanceof CommandFailure) return error.reason;
  if (error instanceof CommanderError) return 'USAGE';
  return error instanceof Problem || error instanceof SchedulerError ? meaningOf(error.code).exit : 'FAILURE';
}

function messageOf(error: Error, reason: ExitReason): string {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help') return 'expected a command. Use --help to list them.';
    const message = error.message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean $1?)');
    // commander quotes a misspelt option together with its value, which may contain credentials.
    return withHint(
      message.replace(/'([^']*)'/g, (_, text: string) => `'${withoutCredentials(text)}'`),
      error.code,
    );
  }
  if (error instanceof SchedulerError && error.code === 'UNKNOWN_JOB_TYPE')
    return `${error.message} Export it from the module of --jobs.`;
  // Only unexpected errors are printed with their stack.
  const isForeseen = error instanceof SchedulerError || error instanceof Problem;
  return reason === 'FAILURE' && !isForeseen ? (error.stack ?? error.message) : error.message;
}

function withHint(message: string, code: string): string {
  const isCron = /'(next|explain|validate)'/.test(message);
  const hint =
    code === 'commander.excessArguments' && isCron ? ' A cron expression is one argument: put it in quotes.' : '';
  return `${message}${message.endsWith('.') ? '' : '.'}${hint} Use --help to see the options.`;
}

function problemsOf(error: Error): object {
  if (error instanceof ConfigurationError) return { problems: error.problems };
  return error instanceof Problem && error.fields.length > 0 ? { problems: error.fields } : {};
}

function codeOf(error: Error): { readonly code?: string } {
  return error instanceof SchedulerError || error instanceof Problem ? { code: error.code } : {};
}
