import { inspect, types } from 'node:util';

/** Every error code, once: stable for ever, documented in docs/reference/errors.md (a test compares). The text says when it is thrown. */
export const ERROR_CODES = {
  INVALID_ARGUMENT: 'A value given to the API has the wrong type, length or range.',
  INVALID_TRIGGER: 'A trigger contradicts itself, or would never fire.',
  INVALID_JOB_DATA:
    'Job data is not plain JSON, or larger than 60 KiB; or it is stored in a form that this node cannot read, which the call needs.',
  CRON_SYNTAX: 'A cron expression does not follow its dialect.',
  UNKNOWN_TIME_ZONE: 'A time zone is neither an IANA name this machine knows nor a fixed offset such as `GMT+08:00`.',
  INVALID_CALENDAR: 'A calendar definition is malformed.',
  OBJECT_ALREADY_EXISTS: 'A job, trigger or calendar with that key is already stored, and replacing was not asked for.',
  JOB_NOT_FOUND: 'The named job is not stored.',
  TRIGGER_NOT_FOUND: 'The named trigger is not stored.',
  CALENDAR_NOT_FOUND: 'The named calendar is not stored.',
  CALENDAR_IN_USE: 'The calendar cannot be deleted because triggers refer to it.',
  DECLARED_ELSEWHERE: 'Code or a schedule file declares it, and says that it is edited there only.',
  CHANGED_MEANWHILE: 'What is to be changed is not what was read: its version is another one. Read it again.',
  UNKNOWN_JOB_TYPE: 'No job is registered under that type, in this process or on another node.',
  SCHEDULER_STATE: 'The scheduler cannot do that in its present state (for example after shutdown).',
  CONFIGURATION: 'A configuration or schedule file has problems; all of them are listed.',
  JOB_EXECUTION: 'A job threw; `cause` holds what it threw.',
  JOB_FACTORY: 'The object to execute could not be made; `cause` holds what the constructor or the job factory threw.',
  LISTENER_TIMEOUT: 'A listener did not answer within `listenerTimeout`.',
  LISTENER_FAILED: 'A listener threw; `cause` holds what it threw.',
  INSTANCE_ID_TAKEN: 'Another process runs under the same instance id.',
  STORE_FAILURE: 'The job store could not complete an operation; `cause` holds the reason.',
  SCHEMA_MISMATCH:
    'The tables in the database are missing, older or newer than this version, or cannot hold what it writes.',
} as const;

/** One of the codes of `ERROR_CODES`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Base of every error this library throws on purpose. Test `code`, never `message`. */
export class SchedulerError extends Error {
  /** Stable for ever: what went wrong. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** A job, trigger or calendar with that key is already stored. */
export class ObjectAlreadyExistsError extends SchedulerError {
  constructor(what: 'job' | 'trigger' | 'calendar', name: string) {
    super(
      'OBJECT_ALREADY_EXISTS',
      `The ${what} '${name}' is already stored. Use another name, or ask for it to be replaced.`,
    );
  }
}

/** The scheduler cannot do that in its present state. */
export class SchedulerStateError extends SchedulerError {
  constructor(message: string) {
    super('SCHEDULER_STATE', message);
  }
}

/** The store was closed by this process, in the middle of the call or before it: that says nothing of the store. */
export class StoreClosedError extends SchedulerError {
  constructor(options?: ErrorOptions) {
    super('STORE_FAILURE', 'The job store is closed.', options);
  }
}

/** Anything thrown, as an Error whose message can be read, also a second time. Never throws itself, whatever it is given. */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && isPlain(thrown, ['message']) && typeof thrown.message === 'string') return thrown;
    return new Error(textOf(thrown), { cause: thrown });
  } catch {
    // An object without toString, a proxy or a getter that throws.
    return new Error('something that cannot be printed', { cause: thrown });
  }
}

/** Whether reading these properties runs nobody's code: none is a getter, and no proxy stands before them. */
export function isPlain(object: object, names: readonly string[]): boolean {
  return names.every((name) => {
    for (let holder: object | null = object; holder !== null; holder = Object.getPrototypeOf(holder)) {
      if (types.isProxy(holder)) return false;
      const property = Object.getOwnPropertyDescriptor(holder, name);
      if (property !== undefined) return 'value' in property;
    }
    return true;
  });
}

/** How much of a thrown object's text is kept, in characters. */
const MAX_TEXT = 1_000;

/** Not `[object Object]`: an object's own message, or what it holds. */
function textOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { readonly message?: unknown };
  if (typeof message === 'string') return message;
  return inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, MAX_TEXT);
}
