import { SchedulerError, toError } from '../base/errors';

/** What the scheduler does after the job threw; of several, the first in this order counts. */
export interface JobExecutionExceptionOptions extends ErrorOptions {
  /** Run the job again at once, in the same firing; at most `maxRefireCount` times, with growing delays. */
  readonly refireImmediately?: boolean;
  /** The trigger that fired is COMPLETE. */
  readonly unscheduleFiringTrigger?: boolean;
  /** All triggers of the job are COMPLETE. */
  readonly unscheduleAllTriggers?: boolean;
}

/** Thrown by a job to say that it failed and what to do about it. Whatever else a job throws arrives wrapped in one. */
export class JobExecutionException extends SchedulerError {
  readonly refireImmediately: boolean;
  readonly unscheduleFiringTrigger: boolean;
  readonly unscheduleAllTriggers: boolean;
  /** What the job threw; whatever that was, it is an Error here. */
  declare readonly cause?: Error;

  constructor(message: string, options: JobExecutionExceptionOptions = {}) {
    const { cause } = options;
    super('JOB_EXECUTION', message, cause === undefined ? {} : { cause: toError(cause) });
    this.refireImmediately = options.refireImmediately === true;
    this.unscheduleFiringTrigger = options.unscheduleFiringTrigger === true;
    this.unscheduleAllTriggers = options.unscheduleAllTriggers === true;
  }
}
