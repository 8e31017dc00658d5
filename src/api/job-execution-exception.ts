import { SchedulerError } from '../base/errors';
import { checkOptions } from '../domain/check-options';
import { type DurationLike, parseDuration } from '../domain/retry-policy';

/** Actions of the scheduler after the job threw. If several are set, the first in this order counts. */
export interface JobExecutionExceptionOptions extends ErrorOptions {
  /**
   * Refires the job immediately, in the same firing: at most `maxRefireCount` times, after delays that grow to a second. Default: false, as for
   * all of these options.
   */
  readonly refireImmediately?: boolean;
  /** Sets the trigger that fired to COMPLETE. */
  readonly unscheduleFiringTrigger?: boolean;
  /** Sets all triggers of the job to COMPLETE. */
  readonly unscheduleAllTriggers?: boolean;
}

const OPTIONS: Readonly<Record<keyof JobExecutionExceptionOptions, true>> = {
  refireImmediately: true,
  unscheduleFiringTrigger: true,
  unscheduleAllTriggers: true,
  cause: true,
};

/** Options of errors whose class determines the further actions. */
const CAUSE: Readonly<Record<keyof ErrorOptions, true>> = { cause: true };

/** Thrown by a job to report a failure and choose the reaction of the scheduler. Any other error that a job throws is wrapped in one. */
export class JobExecutionException extends SchedulerError {
  /** True if the job should be refired immediately. */
  readonly refireImmediately: boolean;
  /** True if the trigger that fired should end. */
  readonly unscheduleFiringTrigger: boolean;
  /** True if all triggers of the job should end. */
  readonly unscheduleAllTriggers: boolean;

  /** Throws INVALID_ARGUMENT for unknown options. */
  constructor(message: string, options: JobExecutionExceptionOptions = {}) {
    super('JOB_EXECUTION', message, checkOptions(options, OPTIONS));
    this.refireImmediately = options.refireImmediately === true;
    this.unscheduleFiringTrigger = options.unscheduleFiringTrigger === true;
    this.unscheduleAllTriggers = options.unscheduleAllTriggers === true;
  }
}

/**
 * Thrown by a job to be retried after a pause that it chooses. The retry counts under its policy, with `delay` in place of the policy's pause.
 * Without a policy that allows retries, it is always granted.
 */
export class RetryLater extends JobExecutionException {
  /** Pause before the retry, in milliseconds. */
  readonly delay: number;

  /** `delay`: milliseconds, `5m` or `PT5M`, at most 366 days. Throws INVALID_ARGUMENT. */
  constructor(
    delay: DurationLike,
    message = 'The job requested a retry later (RetryLater).',
    options: ErrorOptions = {},
  ) {
    super(message, checkOptions(options, CAUSE));
    this.delay = parseDuration(delay, 'the delay of RetryLater');
  }
}

/**
 * Thrown by a job that would fail again. It is not retried, regardless of its policy. If the policy allows retries, the run becomes a dead
 * letter immediately.
 */
export class DoNotRetry extends JobExecutionException {
  constructor(message = 'The job requested no further retries.', options: ErrorOptions = {}) {
    super(message, checkOptions(options, CAUSE));
  }
}
