import { isDeepStrictEqual } from 'node:util';
import { JobExecutionException } from '../api/job-execution-exception';
import { isPlain, SchedulerError, toError } from '../base/errors';
import { checkJobData } from '../domain/check-job-data';
import type { CompletionInstruction } from '../domain/completion';
import type { TriggerFiring } from '../domain/firing';
import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey } from '../domain/keys';

/** How one execution of a job ended. */
export interface JobOutcome {
  readonly failure: JobExecutionException | null;
  /** Data to store; null: nothing to store. */
  readonly jobData: JobData | null;
}

/** What becomes of the trigger, by Quartz's order of precedence. `mayRefire`: running the job once more is allowed. */
export function decideInstruction(
  firing: TriggerFiring,
  failure: JobExecutionException | null,
  mayRefire: boolean,
): CompletionInstruction {
  if (failure !== null) {
    if (failure.refireImmediately && mayRefire) return 'RE_EXECUTE_JOB';
    if (failure.unscheduleFiringTrigger) return 'SET_TRIGGER_COMPLETE';
    if (failure.unscheduleAllTriggers) return 'SET_ALL_JOB_TRIGGERS_COMPLETE';
  }
  return firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
}

/**
 * What to store of a job's return value: a frozen copy, or null when the job does not persist its data, returned
 * nothing, or returned what is stored already. Throws INVALID_JOB_DATA.
 */
export function returnedJobData(jobDetail: JobDetail, returned: unknown): JobData | null {
  if (!jobDetail.persistJobDataAfterExecution || returned === undefined || returned === null) return null;
  const data = checkJobData(returned, `job '${formatKey(jobDetail.key)}'`);
  return isDeepStrictEqual(data, jobDetail.data) ? null : data;
}

const FAILURE_FLAGS = ['refireImmediately', 'unscheduleFiringTrigger', 'unscheduleAllTriggers'] as const;

/**
 * Whatever a job threw, as an exception whose flags can be read without running code of the job. `isDeclared`: the job threw a
 * JobExecutionException itself; anything else is a mistake that is to be reported.
 */
export function toJobFailure(thrown: unknown, jobName: string): { error: JobExecutionException; isDeclared: boolean } {
  const cause = toError(thrown);
  if (cause instanceof JobExecutionException && isPlain(cause, FAILURE_FLAGS))
    return { error: cause, isDeclared: true };
  const error = new JobExecutionException(`The job '${jobName}' threw: ${cause.message}`, { cause });
  return { error, isDeclared: false };
}

/** Why the object to execute could not be made. */
export function toFactoryError(thrown: unknown, jobName: string): SchedulerError {
  const cause = toError(thrown);
  if (cause instanceof SchedulerError && isPlain(cause, ['code']) && cause.code === 'UNKNOWN_JOB_TYPE') return cause;
  return new SchedulerError('JOB_FACTORY', `The job '${jobName}' could not be made: ${cause.message}`, { cause });
}
