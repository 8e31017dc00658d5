export interface CodeMeaning {
  readonly when: string;
  readonly status: number;
  /** Name of an exit code in `EXIT_CODES` of `cli/exit-codes`, where the compiler checks it. */
  readonly exit: string;
}

/** All error codes. A released code never changes. docs/reference/errors.md is generated from this table. */
export const ERROR_CODES = {
  INVALID_ARGUMENT: {
    status: 400,
    exit: 'USAGE',
    when: 'A value given to the API has the wrong type, length or range.',
  },
  INVALID_TRIGGER: { status: 422, exit: 'CONFIGURATION', when: 'A trigger is inconsistent or would never fire.' },
  INVALID_JOB_DATA: {
    status: 422,
    exit: 'CONFIGURATION',
    when: 'Job data is not plain JSON or is larger than 60 KiB, or the call needs stored data that this node cannot read.',
  },
  CRON_SYNTAX: { status: 422, exit: 'EXPRESSION', when: 'A cron expression is invalid in its dialect.' },
  UNKNOWN_TIME_ZONE: {
    status: 422,
    exit: 'EXPRESSION',
    when: 'A time zone is neither an IANA name known to this machine nor a fixed offset such as `GMT+08:00`.',
  },
  INVALID_CALENDAR: { status: 422, exit: 'CONFIGURATION', when: 'A calendar definition is malformed.' },
  UNREADABLE_FOR_JAVA: {
    status: 409,
    exit: 'CONFLICT',
    when: 'A Java node is alive that could not read the definition, and would then fire nothing any more.',
  },
  OBJECT_ALREADY_EXISTS: {
    status: 409,
    exit: 'CONFLICT',
    when: 'A job, trigger or calendar with that key is already stored, and the call did not request to replace it.',
  },
  JOB_NOT_FOUND: { status: 404, exit: 'NOT_FOUND', when: 'The named job is not stored.' },
  TRIGGER_NOT_FOUND: { status: 404, exit: 'NOT_FOUND', when: 'The named trigger is not stored.' },
  CALENDAR_NOT_FOUND: { status: 404, exit: 'NOT_FOUND', when: 'The named calendar is not stored.' },
  CALENDAR_IN_USE: {
    status: 409,
    exit: 'CONFLICT',
    when: 'The calendar cannot be deleted because triggers refer to it.',
  },
  CALENDAR_ENDS_TRIGGERS: {
    status: 409,
    exit: 'CONFLICT',
    when: 'Triggers would never fire again under the changed calendar, and the call did not set `allowEnding`.',
  },
  DECLARED_ELSEWHERE: {
    status: 409,
    exit: 'CONFLICT',
    when: 'The definition is declared by code or a schedule file, and can be changed only there (`onDeclaredEdit: refuse`).',
  },
  CHANGED_MEANWHILE: {
    status: 412,
    exit: 'CONFLICT',
    when: 'The stored version differs from the version that was read. Read it again, and repeat the change.',
  },
  UNKNOWN_JOB_TYPE: {
    status: 422,
    exit: 'CONFIGURATION',
    when: 'No job is registered under that type, in this process or on another node.',
  },
  SCHEDULER_STATE: {
    status: 409,
    exit: 'CONFLICT',
    when: 'The state of the scheduler does not allow the call (for example after shutdown).',
  },
  CONFIGURATION: {
    status: 422,
    exit: 'CONFIGURATION',
    when: 'A configuration or schedule file has problems. The message lists all of them.',
  },
  JOB_EXECUTION: { status: 500, exit: 'FAILURE', when: 'A job threw an error, which is in `cause`.' },
  JOB_FACTORY: {
    status: 500,
    exit: 'FAILURE',
    when: 'The job object could not be created. `cause` holds the error of its constructor or of the job factory.',
  },
  LISTENER_TIMEOUT: { status: 500, exit: 'FAILURE', when: 'A listener did not answer within `listenerTimeout`.' },
  LISTENER_FAILED: { status: 500, exit: 'FAILURE', when: 'A listener threw an error, which is in `cause`.' },
  INSTANCE_ID_TAKEN: { status: 500, exit: 'FAILURE', when: 'Another process runs with the same instance id.' },
  STORE_FAILURE: {
    status: 503,
    exit: 'DATABASE',
    when: 'The job store could not complete an operation; `cause` holds the reason.',
  },
  SCHEMA_MISMATCH: {
    status: 503,
    exit: 'DATABASE',
    when: 'The database tables are missing, of another version, or unable to store what this version writes.',
  },
} as const satisfies Readonly<Record<string, CodeMeaning>>;

/** Error code: a key of `ERROR_CODES`. */
export type ErrorCode = keyof typeof ERROR_CODES;
