import type { JobExecutionException } from '../api/job-execution-exception';
import type { CompletionInstruction } from '../domain/completion';
import type { TriggerFiring } from '../domain/firing';

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
