import { SchedulerError } from '../base/errors';

/** What the scheduler does after the job threw; of several, the first in this order counts. */
export interface JobExecutionExceptionOptions extends ErrorOptions {
  /**
   * Run the job again at once, in the same firing; at most `maxRefireCount` times, after delays that grow to a second. Default false, as
   * all of these.
   */
  readonly refireImmediately?: boolean;
  /** The trigger that fired is COMPLETE. */
  readonly unscheduleFiringTrigger?: boolean;
  /** All triggers of the job are COMPLETE. */
  readonly unscheduleAllTriggers?: boolean;
}

/** Thrown by a job to say that it failed and what to do about it. Whatever else a job throws arrives wrapped in one. */
export class JobExecutionException extends SchedulerError {
  /** Whether the job is to be run again at once. */
  readonly refireImmediately: boolean;
  /** Whether the trigger that fired is to end. */
  readonly unscheduleFiringTrigger: boolean;
  /** Whether all triggers of the job are to end. */
  readonly unscheduleAllTriggers: boolean;

  constructor(message: string, options: JobExecutionExceptionOptions = {}) {
    super('JOB_EXECUTION', message, options);
    this.refireImmediately = options.refireImmediately === true;
    this.unscheduleFiringTrigger = options.unscheduleFiringTrigger === true;
    this.unscheduleAllTriggers = options.unscheduleAllTriggers === true;
  }
}
