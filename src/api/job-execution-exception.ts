import { SchedulerError } from '../base/errors';
import { sharedClass } from '../base/shared-class';
import { checkOptions } from '../domain/check-options';
import type { DurationLike } from '../domain/retry-policy';
import { checkDelay } from '../domain/time/duration';

/** Instructions to the scheduler after the job has thrown. If several are set, the first one in the order below applies. */
export interface JobExecutionExceptionOptions extends ErrorOptions {
  /**
   * Refires the job within the same firing, at most `maxRefireCount` times. The first refire has no delay; later delays grow to one second. Default
   * of this and the following options: false.
   */
  readonly refireImmediately?: boolean;
  /** Sets the trigger that fired to COMPLETE, so that it does not fire again. */
  readonly unscheduleFiringTrigger?: boolean;
  /** Sets all triggers of the job to COMPLETE, so that they do not fire again. */
  readonly unscheduleAllTriggers?: boolean;
}

const OPTIONS: Readonly<Record<keyof JobExecutionExceptionOptions, true>> = {
  refireImmediately: true,
  unscheduleFiringTrigger: true,
  unscheduleAllTriggers: true,
  cause: true,
};

/** Options of `RetryLater` and `DoNotRetry`, whose class alone determines how the scheduler reacts. */
const CAUSE: Readonly<Record<keyof ErrorOptions, true>> = { cause: true };

/** Error that a job throws to report a failure and to choose how the scheduler reacts. The scheduler wraps any other error of a job in this class. */
export class JobExecutionException extends SchedulerError {
  static {
    sharedClass(JobExecutionException, 'JobExecutionException');
  }

  /** True if the scheduler should refire the job immediately. */
  readonly refireImmediately: boolean;
  /** True if the trigger that fired should not fire again. */
  readonly unscheduleFiringTrigger: boolean;
  /** True if no trigger of the job should fire again. */
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
 * Error that a job throws to be retried after `delay`. The retry counts as one of the policy's retries, and `delay` replaces the policy's delay. If
 * the job has no retry policy, the retry is always granted.
 */
export class RetryLater extends JobExecutionException {
  static {
    sharedClass(RetryLater, 'RetryLater');
  }

  /** Delay before the retry, in milliseconds. */
  readonly delay: number;

  /** `delay`: milliseconds, or a duration such as `5m` or `PT5M`; at most 366 days. Throws INVALID_ARGUMENT. */
  constructor(
    delay: DurationLike,
    message = 'The job requested a retry later (RetryLater).',
    options: ErrorOptions = {},
  ) {
    super(message, checkOptions(options, CAUSE));
    this.delay = checkDelay(delay, 'the delay of RetryLater');
  }
}

/**
 * Error that a job throws if a retry would fail, too. The job is not retried, whatever its policy. If the policy allows retries, the run becomes a
 * dead letter immediately.
 */
export class DoNotRetry extends JobExecutionException {
  static {
    sharedClass(DoNotRetry, 'DoNotRetry');
  }

  constructor(message = 'The job requested no further retries.', options: ErrorOptions = {}) {
    super(message, checkOptions(options, CAUSE));
  }
}
