import { JobExecutionException } from '../api/job-execution-exception';
import { refusedTrigger } from '../domain/admission';
import type { TriggerFiring } from '../domain/firing';
import { formatKey } from '../domain/keys';
import { occurrenceOf } from '../domain/occurrence';
import { refusalsOf } from '../domain/recovery';
import type { FactoryPauses } from './factory-pauses';
import { decideInstruction, toFactoryError } from './job-outcome';
import type { RunConclusionParts } from './run-conclusion';
import { completionOf, type JobOutcome, notStarted, retryAfter } from './run-ending';

export interface UnmadeJobParts extends RunConclusionParts {
  readonly pauses: FactoryPauses;
  /** Number of refusals after which an attempt has failed. */
  readonly maxFactoryRefusals: number;
}

/**
 * Completes a firing whose job object could not be created, so that this node cannot begin the run. The firing goes back as the same attempt of the
 * same occurrence, for any node, and this node pauses the job type. After `maxFactoryRefusals` refusals, the attempt has failed.
 */
export function completeUnmade(firing: TriggerFiring, thrown: unknown, parts: UnmadeJobParts): void {
  const { bus, clock, completions, pauses, maxFactoryRefusals, instanceId } = parts;
  const { key, jobType } = firing.jobDetail;
  const error = toFactoryError(thrown, formatKey(key));
  const pausedUntil = pauses.failed(jobType);
  const refusals = refusalsOf(firing.trigger.data) + 1;
  if (refusals >= maxFactoryRefusals) {
    completeFailed(firing, error, parts);
    return;
  }
  const instruction = decideInstruction(firing, null, false);
  const completion = { firing, instruction, further: [refusedTrigger(firing)], isRefused: true } as const;
  completions.enqueue({ completion, jobRunTime: -1, error: null });
  bus.publish({ type: 'runRefused', at: clock.now(), firing, instanceId, refusals, pausedUntil, error });
}

/** Completes a firing as a failed attempt. Its retry policy applies as after an error of the job. */
function completeFailed(firing: TriggerFiring, cause: Error, parts: UnmadeJobParts): void {
  const { bus, clock, completions, maxFactoryRefusals } = parts;
  const at = clock.now();
  const message = `The run was refused ${maxFactoryRefusals} times (scheduler.maxFactoryRefusals): ${cause.message}`;
  const error = new JobExecutionException(message, { cause });
  bus.publish({ type: 'schedulerError', at, during: `creating job '${formatKey(firing.jobDetail.key)}'`, error });
  const instruction = decideInstruction(firing, error, false);
  const run = notStarted(firing, at);
  const retry = retryAfter(run, error, instruction, parts);
  const retryTime = retry.status === 'retry' ? retry.trigger.startTime : null;
  const { attempt } = occurrenceOf(firing);
  bus.publish({ type: 'jobFailed', at, firing, attempt, refireCount: 0, retryTime, error });
  const outcome: JobOutcome = { outcome: 'failed', failure: error, jobData: null, retry };
  completions.enqueue({
    completion: completionOf(run, outcome, instruction, parts),
    jobRunTime: -1,
    error,
  });
}
