import type { EpochMs } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import type { Completion, CompletionInstruction } from '../domain/completion';
import { shortestExpectation } from '../domain/expectation';
import { formatKey } from '../domain/keys';
import { occurrenceOf } from '../domain/occurrence';
import type { EventBus } from '../events/event-bus';
import type { ListenerDispatch } from '../events/listener-dispatch';
import type { CompletionQueue } from './completion-queue';
import type { ExecutingJobs } from './executing-jobs';
import { decideInstruction, outcomeOfFailure, toJobFailure } from './job-outcome';
import { completionOf, type JobOutcome, outcomeAfterLeaseLoss, type RunEndingParts, retryAfter } from './run-ending';
import type { RunState } from './run-state';

export interface RunConclusionParts extends RunEndingParts {
  readonly bus: EventBus;
  readonly executing: ExecutingJobs;
  readonly listeners: ListenerDispatch;
  readonly completions: Pick<CompletionQueue, 'enqueue' | 'announce'>;
  readonly maxRefireCount: number;
  /** Maximum number of hand-overs of an attempt without a new checkpoint. */
  readonly maxHandOvers: number;
  /** Called when a job or trigger with `mustSucceedWithin` has succeeded. `time` is the deadline for its next success. */
  readonly onExpected?: (time: EpochMs) => void;
}

export function outcomeOfThrown(run: RunState, thrown: unknown): JobOutcome {
  return { outcome: outcomeOfFailure(run), failure: toJobFailure(thrown, nameOf(run)), jobData: null };
}

/** Publishes an end that the job's transaction has stored, or returns false. An error after the commit is published, but does not fail the run. */
export async function concludeStored(
  run: RunState,
  { failure }: JobOutcome,
  thrown: unknown,
  parts: RunConclusionParts,
): Promise<boolean> {
  const stored = (await run.transaction?.storedEnd(run.isTimedOut)) ?? null;
  if (stored === null) return false;
  const { listeners, completions } = parts;
  if (failure !== null) {
    const during = `running job '${nameOf(run)}' after its transaction ended the run`;
    reportError(during, toError(thrown), parts);
  }
  const { completion, outcome } = stored;
  if (!listeners.isEmpty) void listeners.jobEnded(run.context, null, completion.instruction);
  completions.announce({ completion, jobRunTime: run.jobRunTime, error: null }, outcome);
  reportExpected(completion, parts);
  return true;
}

/**
 * Returns the instruction for the trigger. Refuses a requested refire if the job was interrupted, if refires have
 * ended, or if the job has already had `maxRefireCount` refires. Publishes `schedulerError` in the last case.
 */
export function decide(
  run: RunState,
  { failure, handOver }: JobOutcome,
  parts: RunConclusionParts,
): CompletionInstruction {
  const { executing, maxRefireCount } = parts;
  if (handOver !== undefined) return decideInstruction(run.firing, null, false);
  if (failure === null || !failure.refireImmediately) return decideInstruction(run.firing, failure, false);
  const isExhausted = run.refireCount >= maxRefireCount;
  if (isExhausted) {
    const name = nameOf(run);
    const message = `Job '${name}' requested more immediate refires than maxRefireCount (${maxRefireCount}) allows.`;
    reportError(`running job '${name}'`, new SchedulerError('JOB_EXECUTION', message, { cause: failure }), parts);
  }
  return decideInstruction(run.firing, failure, !isExhausted && executing.mayRefire(run));
}

/**
 * Publishes `jobFailed` with the time of the retry, if any. Returns the outcome with the retry decision, so that exactly this retry is stored. Plans
 * none if the job is refired, or if the run will be recovered because the lease was lost. A run that is handed over has not failed.
 */
export function reportFailure(
  run: RunState,
  ended: JobOutcome,
  instruction: CompletionInstruction,
  parts: RunConclusionParts,
): JobOutcome {
  if (ended.failure === null || ended.handOver !== undefined) return ended;
  const { firing, refireCount } = run;
  const outcome = unlessLeaseLost(run, ended, instruction, parts);
  const { failure: error, recovery } = outcome;
  if (error === null) return outcome;
  const mayRetry = instruction !== 'RE_EXECUTE_JOB' && recovery === undefined;
  const retry = mayRetry ? retryAfter(run, error, instruction, parts) : null;
  const retryTime = retry?.status === 'retry' ? retry.trigger.startTime : null;
  const { attempt } = occurrenceOf(firing);
  parts.bus.publish({ type: 'jobFailed', at: parts.clock.now(), firing, attempt, refireCount, retryTime, error });
  return retry === null ? outcome : { ...outcome, retry };
}

/** Queues the completion of the run after its pending checkpoints, because the completion states whether the occurrence has a checkpoint. */
export function complete(
  run: RunState,
  outcome: JobOutcome,
  instruction: CompletionInstruction,
  parts: RunConclusionParts,
): void | Promise<void> {
  const saving = run.endCheckpoints();
  if (saving === null) return enqueue(run, outcome, instruction, parts);
  return saving.then(() => enqueue(run, outcome, instruction, parts));
}

function enqueue(
  run: RunState,
  outcome: JobOutcome,
  instruction: CompletionInstruction,
  parts: RunConclusionParts,
): void {
  const completion = completionOf(run, unlessLeaseLost(run, outcome, instruction, parts), instruction, parts);
  parts.completions.enqueue({ completion, jobRunTime: run.jobRunTime, error: outcome.failure });
  reportExpected(completion, parts);
}

/** Adjusts the outcome if the lease was lost since the trigger fired. Called again at the end, because the lease may be lost until then. */
function unlessLeaseLost(
  run: RunState,
  outcome: JobOutcome,
  instruction: CompletionInstruction,
  parts: RunConclusionParts,
): JobOutcome {
  const isLost = run.interruptions !== parts.executing.interruptions;
  return isLost ? outcomeAfterLeaseLoss(run.firing, outcome, instruction, parts) : outcome;
}

/** Reports the deadline for the next success of a job or trigger with `mustSucceedWithin`. `end` is absent for most runs without such a limit. */
function reportExpected({ firing, end }: Completion, { onExpected }: RunConclusionParts): void {
  if (end?.outcome !== 'succeeded') return;
  const within = shortestExpectation([firing.trigger, firing.jobDetail]);
  if (within !== null) onExpected?.(end.endTime + within);
}

/** Publishes `schedulerError` if a job threw an error other than a JobExecutionException, which jobs throw deliberately. Not for a hand-over. */
export function reportThrown(
  run: RunState,
  { failure, handOver }: JobOutcome,
  thrown: unknown,
  parts: RunConclusionParts,
): void {
  if (failure !== null && failure !== thrown && handOver === undefined)
    reportError(`running job '${nameOf(run)}'`, failure, parts);
}

function reportError(during: string, error: Error, { bus, clock }: Pick<RunConclusionParts, 'bus' | 'clock'>): void {
  bus.publish({ type: 'schedulerError', at: clock.now(), during, error });
}

function nameOf({ firing }: RunState): string {
  return formatKey(firing.jobDetail.key);
}
