import { SchedulerError } from '../base/errors';
import { checkOptions } from '../domain/check-options';
import { type DurationLike, parseDuration } from '../domain/retry-policy';

/** Actions of the scheduler after the job threw. If several are set, the first in this order counts. */
export interface JobExecutionExceptionOptions extends ErrorOptions {
  /**
   * Run the job again at once, in the same firing; at most `maxRefireCount` times, after delays that grow to a second. Default false, as
   * all of these.
   */
  readonly refireImmediately?: boolean;
  /** The trigger that fired is COMPLETE. */
  readonly unscheduleFiringTrigger?: boolean;
  /** All triggers of the job become COMPLETE. */
  readonly unscheduleAllTriggers?: boolean;
}

const OPTIONS: Readonly<Record<keyof JobExecutionExceptionOptions, true>> = {
  refireImmediately: true,
  unscheduleFiringTrigger: true,
  unscheduleAllTriggers: true,
  cause: true,
};

/** Options for errors whose class decides what follows. */
const CAUSE: Readonly<Record<keyof ErrorOptions, true>> = { cause: true };

/** Thrown by a job to report a failure and choose what the scheduler does about it. Any other error that a job throws is wrapped in one. */
export class JobExecutionException extends SchedulerError {
  /** True if the job is to be executed again immediately. */
  readonly refireImmediately: boolean;
  /** True if the trigger that fired is to end. */
  readonly unscheduleFiringTrigger: boolean;
  /** True if all triggers of the job are to end. */
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
 * Thrown by a job that wants to be run again after a pause of its own choice: a retry as its policy allows, after `delay` in place of the
 * policy's pause. Where no policy allows retries it is granted each time.
 */
export class RetryLater extends JobExecutionException {
  /** The pause before the retry. Milliseconds. */
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

/** Thrown by a job that would fail again: it is not retried, whatever its policy; where that allows retries, the run is a dead letter at once. */
export class DoNotRetry extends JobExecutionException {
  constructor(message = 'The job requested no further retries.', options: ErrorOptions = {}) {
    super(message, checkOptions(options, CAUSE));
  }
}
