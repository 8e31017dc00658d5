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
  USAGE: { code: 2, when: 'A command, option or argument is wrong or missing.' },
  CONFIGURATION: { code: 3, when: 'A configuration or schedule file has problems; each is listed with its place.' },
  EXPRESSION: { code: 4, when: 'A cron expression or a time zone is not valid.' },
  JOBS_MODULE: { code: 5, when: 'The module named by `--jobs` cannot be loaded, or exports no jobs.' },
  ABANDONED: { code: 6, when: '`run` stopped while jobs were still running at the end of the shutdown deadline.' },
  DATABASE: { code: 7, when: 'The database of a job store cannot be reached, or its tables cannot be used.' },
  INTERRUPTED: { code: 130, when: '`run` was stopped at once by a second SIGINT.' },
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
