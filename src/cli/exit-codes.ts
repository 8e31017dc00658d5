import { CommanderError } from 'commander';
import { SchedulerError, toError } from '../base/errors';
import { printable } from '../base/printable';
import { withoutCredentials } from '../base/secrets';
import { ConfigurationError } from '../config/problem';
import { meaningOf, Problem } from '../operations/problem';
import type { Output } from './output';

/** How every command ends; docs/reference/command-line.md shows this table (a test compares). Stable for ever. */
export const EXIT_CODES = {
  OK: {
    code: 0,
    when: 'All went well. `run`: stopped after `--for`, or by one signal, and every running job had ended.',
  },
  FAILURE: {
    code: 1,
    when: 'Something unexpected happened; the message says what. Please report it if it looks like our mistake.',
  },
  USAGE: {
    code: 2,
    when: 'A command, option or argument is wrong or missing.',
  },
  CONFIGURATION: { code: 3, when: 'A configuration or schedule file has problems; each is listed with its place.' },
  EXPRESSION: { code: 4, when: 'A cron expression or a time zone is not valid.' },
  JOBS_MODULE: { code: 5, when: 'The module named by `--jobs` cannot be loaded, or exports no jobs.' },
  ABANDONED: { code: 6, when: '`run` stopped while jobs were still running at the end of the shutdown deadline.' },
  DATABASE: { code: 7, when: 'The database of a job store cannot be reached, or its tables cannot be used.' },
  CHANGES: {
    code: 8,
    when: '`schedule plan`: applying the files would change something; the changes are on standard output.',
  },
  NOT_FOUND: { code: 9, when: 'There is nothing of that name, key or id.' },
  CONFLICT: {
    code: 10,
    when: 'What is stored does not allow it: it exists already, is in use, or was changed by somebody else meanwhile.',
  },
  FORBIDDEN: {
    code: 11,
    when: 'The server does not know who asks (no token, or not a valid one), or does not allow it to that role.',
  },
  SERVER: { code: 12, when: 'The server of `--server` cannot be reached, or is no console of quartz-ts.' },
  DECLINED: { code: 13, when: 'Somebody was asked whether to go on, and did not say yes; nothing was done.' },
  PROBLEMS: {
    code: 14,
    when: '`doctor` found a problem: something does not fire. Warnings and notes alone end with 0.',
  },
  INTERRUPTED: { code: 130, when: '`run` was stopped at once by a second SIGINT.' },
  FENCED: {
    code: 137,
    when: '`run` lost its lease and ended itself by SIGKILL, after a line on standard error (`jobStore.onLeaseLost`). Start it again.',
  },
  TERMINATED: { code: 143, when: '`run` was stopped at once by a second SIGTERM.' },
} as const;

export type ExitReason = keyof typeof EXIT_CODES;

/** Ends a command with a message for people, and an exit code for scripts. */
export class CommandFailure extends Error {
  readonly reason: ExitReason;

  constructor(reason: ExitReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandFailure';
    this.reason = reason;
  }
}

/** Writes to standard error why a command failed, for people or, with `json`, for scripts, and returns the exit code. */
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
    if (error.code === 'commander.help') return 'expected a command. Add --help to see them.';
    const message = error.message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean $1?)');
    // A misspelt option is quoted with its value.
    return withHint(
      message.replace(/'([^']*)'/g, (_, text: string) => `'${withoutCredentials(text)}'`),
      error.code,
    );
  }
  if (error instanceof SchedulerError && error.code === 'UNKNOWN_JOB_TYPE')
    return `${error.message} Here: export it from the module given as --jobs.`;
  // Only an unexpected error needs its stack.
  const isForeseen = error instanceof SchedulerError || error instanceof Problem;
  return reason === 'FAILURE' && !isForeseen ? (error.stack ?? error.message) : error.message;
}

function withHint(message: string, code: string): string {
  const isCron = /'(next|explain|validate)'/.test(message);
  const hint =
    code === 'commander.excessArguments' && isCron ? ' A cron expression is one argument: put it in quotes.' : '';
  return `${message}${message.endsWith('.') ? '' : '.'}${hint} Add --help to see what is possible.`;
}

function problemsOf(error: Error): object {
  if (error instanceof ConfigurationError) return { problems: error.problems };
  return error instanceof Problem && error.fields.length > 0 ? { problems: error.fields } : {};
}

function codeOf(error: Error): { readonly code?: string } {
  return error instanceof SchedulerError || error instanceof Problem ? { code: error.code } : {};
}
