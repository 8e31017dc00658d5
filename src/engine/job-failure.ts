import { JobExecutionException } from '../api/job-execution-exception';
import { isPlain, SchedulerError, toError } from '../base/errors';

/** What a failure says is to be done. */
const INSTRUCTIONS = ['refireImmediately', 'unscheduleFiringTrigger', 'unscheduleAllTriggers'] as const;

/** What a job threw, as the engine goes on with it. */
export interface JobFailure {
  readonly error: JobExecutionException;
  /** The job itself has said that it failed, and what is to be done; anything else is a mistake that somebody has to hear of. */
  readonly isDeclared: boolean;
}

/** What the job of that name threw, whatever it is: reading it runs none of its code. */
export function asFailure(thrown: unknown, name: string): JobFailure {
  const cause = toError(thrown);
  if (cause instanceof JobExecutionException && isPlain(cause, INSTRUCTIONS)) return { error: cause, isDeclared: true };
  return {
    error: new JobExecutionException(`The job '${name}' threw: ${cause.message}`, { cause }),
    isDeclared: false,
  };
}

/** What kept the job of that name from being made. */
export function asFactoryError(thrown: unknown, name: string): SchedulerError {
  const cause = toError(thrown);
  if (cause instanceof SchedulerError && isPlain(cause, ['code']) && cause.code === 'UNKNOWN_JOB_TYPE') return cause;
  return new SchedulerError('JOB_FACTORY', `The job '${name}' could not be made: ${cause.message}`, { cause });
}
