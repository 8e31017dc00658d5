import type { EpochMs } from '../base/clock';
import type { Completion, CompletionInstruction } from '../domain/completion';
import { shortestExpectation } from '../domain/expectation';
import { occurrenceOf } from '../domain/occurrence';
import type { EventBus } from '../events/event-bus';
import { JobContext } from './job-context';
import { type EndedRun, type JobOutcome, type RunEndingParts, retryAfter } from './run-ending';

export interface RunNewsParts extends RunEndingParts {
  readonly bus: EventBus;
  /** Hears when something will be overdue that has succeeded now. */
  readonly onExpected?: (time: EpochMs) => void;
}

/** Tells of a job that failed, and when it is tried again, which it is not where a recovery takes the place of that; the outcome, with what was told. */
export function tellFailure(
  { firing, context }: EndedRun,
  outcome: JobOutcome,
  instruction: CompletionInstruction,
  parts: RunNewsParts,
): JobOutcome {
  const { failure: error, recovery } = outcome;
  if (error === null) return outcome;
  const isOpen = instruction !== 'RE_EXECUTE_JOB' && recovery === undefined;
  const retry = isOpen ? retryAfter(firing, error, instruction, parts) : null;
  const retryTime = retry?.status === 'retry' ? retry.trigger.startTime : null;
  const { attempt } = occurrenceOf(firing);
  const refireCount = context === null ? 0 : JobContext.refireCountOf(context);
  const at = parts.clock.now();
  parts.bus.publish({ type: 'jobFailed', at, firing, attempt, refireCount, retryTime, error });
  return retry === null ? outcome : { ...outcome, retry };
}

/** Tells when something will be overdue that has succeeded now; where nothing is expected, the completion has no end. */
export function tellExpected({ firing, end }: Completion, { onExpected }: RunNewsParts): void {
  if (end?.outcome !== 'succeeded') return;
  const within = shortestExpectation([firing.trigger, firing.jobDetail]);
  if (within !== null) onExpected?.(end.endTime + within);
}
