import { DoNotRetry, JobExecutionException, RetryLater } from '../api/job-execution-exception';
import type { Clock, EpochMs } from '../base/clock';
import { isError, stackWithCauses, textOf } from '../base/error-values';
import type { RandomSource } from '../base/ids';
import { recoveryOfAbandonedRun } from '../domain/abandoned-run';
import { deadlineOf, type Refusal } from '../domain/admission';
import { following } from '../domain/carried-spans';
import { truncateText } from '../domain/check-text';
import { mayHaveCheckpoint } from '../domain/checkpoint';
import type { Completion, CompletionInstruction } from '../domain/completion';
import { policyOf, type WholePolicy } from '../domain/execution-policy';
import type { TriggerFiring } from '../domain/firing';
import type { JobData } from '../domain/job-data';
import { isOneOff, type Occurrence, occurrenceOf, partOf, withoutOccurrence } from '../domain/occurrence';
import { planRetry, type RetryDecision } from '../domain/retry';
import { mayRetry } from '../domain/retry-policy';
import { detailOfPart, type RunDetail, type RunOutcome, type RunRecord } from '../domain/run';
import { FAILED_OUTCOMES } from '../domain/run-statistics';
import { isRecoverable } from '../domain/shards';
import type { SimpleTrigger } from '../domain/trigger';
import { resultOf } from './run-result';
import type { RunState } from './run-state';

type EndedRun = Pick<RunState, 'firing' | 'notes' | 'traceparent' | 'hasCheckpoint' | 'interruption' | 'endTime'>;

/** Returns the run of a firing whose job did not start. `endTime`: null if it ends with its completion. */
export function notStarted(firing: TriggerFiring, endTime: EpochMs | null = null): EndedRun {
  const hasCheckpoint = mayHaveCheckpoint(firing);
  return { firing, notes: null, traceparent: null, interruption: null, hasCheckpoint, endTime };
}

/** Outcome of the last execution of a firing's job. */
export interface JobOutcome {
  readonly outcome: RunOutcome;
  readonly failure: JobExecutionException | null;
  /** Job data to store; null if the stored data stays unchanged. */
  readonly jobData: JobData | null;
  /** Return value of the job, for the run history. */
  readonly returned?: unknown;
  /** Reason why the job did not run, for the run history. */
  readonly reason?: string;
  /** Trigger that recovers the run, because the node lost its lease. Only with the outcome `lost`. */
  readonly recovery?: SimpleTrigger;
  /** Retry decision. Absent if `completionOf` must make the decision. */
  readonly retry?: RetryDecision;
  /** Trigger that repeats the run, because the shutdown of the node cut it short. Only with the outcome `handedOver`. */
  readonly handOver?: SimpleTrigger;
}

/** Returns the outcome of a skipped firing: `failed` if it exceeded its maximum age, `timedOut` after its deadline, otherwise `skipped`. */
export function outcomeOfSkip({ reason, message }: Refusal & { readonly status: 'skip' }): JobOutcome {
  if (reason === 'maxAge')
    return { outcome: 'failed', failure: new JobExecutionException(message), jobData: null, retry: EXHAUSTED };
  return reason === 'deadline'
    ? { outcome: 'timedOut', failure: new JobExecutionException(message), jobData: null }
    : { outcome: 'skipped', failure: null, jobData: null, reason: message };
}

export interface RunEndingParts {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Default policy of the scheduler, for values that neither the job nor the trigger sets. */
  readonly policy: WholePolicy;
  readonly instanceId: string;
  /** Maximum number of recoveries per firing. Absent or 0: runs are not recovered. */
  readonly maxRecoveryAttempts?: number;
}

/**
 * Returns the outcome of an execution during which the node lost its lease.
 *
 * An interrupted run that requests recovery gets the outcome `lost` and a recovery trigger. The run is thus rerun even if no node has taken over, for
 * example because the database was down for all nodes. If another node has taken over, the store rejects the completion. The outcome is unchanged for
 * other runs, and for runs whose retry was already published.
 */
export function outcomeAfterLeaseLoss(
  firing: TriggerFiring,
  end: JobOutcome,
  instruction: CompletionInstruction,
  { maxRecoveryAttempts = 0 }: Pick<RunEndingParts, 'maxRecoveryAttempts'>,
): JobOutcome {
  const isDecided = end.outcome !== 'interrupted' || end.retry?.status === 'retry';
  if (isDecided || endsTrigger(instruction) || !isRecoverable(firing)) return end;
  const recovery = recoveryOfAbandonedRun(firing, maxRecoveryAttempts);
  return recovery === null ? end : { ...end, outcome: 'lost', recovery };
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** Builds the completion of an ended run, including its retry and its history record. */
export function completionOf(
  run: EndedRun,
  end: JobOutcome,
  instruction: CompletionInstruction,
  parts: RunEndingParts,
): Completion {
  const { firing, hasCheckpoint } = run;
  const completion: Draft<Completion> = { firing, instruction };
  if (end.jobData !== null) completion.jobData = end.jobData;
  const policy = policyOf(firing, parts.policy);
  const isInHistory = policy.history === 'all' || (policy.history !== 'none' && end.outcome !== 'succeeded');
  const hasMet = policy.mustSucceedWithin !== undefined && end.outcome === 'succeeded';
  const isPart = partOf(firing)?.isCounted === true; // its occurrence waits for all shards or nodes
  const isAwaited = firing.hasFollowers === true || hasCheckpoint || hasMet || isPart;
  if (!isInHistory && end.failure === null && !isAwaited) return completion; // the common case: a successful run without history
  const occurrence = occurrenceOf(firing);
  const retry: RetryDecision =
    end.recovery === undefined && end.handOver === undefined
      ? (end.retry ?? retryAfter(run, end.failure, instruction, parts))
      : { status: 'retry', trigger: (end.recovery ?? end.handOver) as SimpleTrigger };
  if (retry.status === 'retry') {
    const { trigger } = retry;
    completion.further = [{ ...trigger, data: following(trigger.data, run.traceparent) }];
    if (end.handOver !== undefined) completion.isHandedOver = true;
  }
  const isDeadLetter = retry.status === 'exhausted';
  const isFinal = retry.status !== 'retry';
  if (isAwaited) {
    const ended = { occurrence, outcome: end.outcome, isFinal, endTime: endTimeOf(run, parts) };
    completion.end = hasCheckpoint ? { ...ended, hasCheckpoint } : ended;
  }
  if (isInHistory || isDeadLetter) completion.run = recordOf(run, end, { occurrence, isDeadLetter, isFinal }, parts);
  return completion;
}

const NONE: RetryDecision = { status: 'none' };
const EXHAUSTED: RetryDecision = { status: 'exhausted' };

const endsTrigger = (instruction: CompletionInstruction) => instruction !== 'NOOP' && instruction !== 'DELETE_TRIGGER';

/**
 * Decides whether and when a failed run is retried. Does not retry DoNotRetry, or failures that end the trigger or set
 * the job's triggers to ERROR. If the policy has retries, or the trigger has only this occurrence, such a run becomes a dead letter. The delay of a
 * retry begins when the run ended.
 */
export function retryAfter(
  run: Pick<EndedRun, 'firing' | 'endTime'>,
  failure: JobOutcome['failure'],
  instruction: CompletionInstruction,
  { policy: defaults, clock, random }: RunEndingParts,
): RetryDecision {
  if (failure === null) return NONE;
  const { firing } = run;
  const { retry: policy } = policyOf(firing, defaults);
  const isFinal = failure instanceof DoNotRetry || endsTrigger(instruction);
  const { rules } = defaults;
  const timing = {
    delay: requestedDelay(failure),
    deadline: deadlineOf(firing),
    now: endTimeOf(run, { clock }),
    rules,
  };
  const decision = isFinal ? NONE : planRetry({ firing, occurrence: occurrenceOf(firing), policy, random, ...timing });
  if (decision.status !== 'none') return decision;
  // No later fire time runs the job of a one-off, so its failure stays visible as a dead letter.
  return mayRetry(policy) || isOneOff(firing.trigger) ? EXHAUSTED : NONE;
}

function endTimeOf({ endTime }: Pick<EndedRun, 'endTime'>, { clock }: Pick<RunEndingParts, 'clock'>): EpochMs {
  return endTime ?? clock.now();
}

/** Returns the delay of a RetryLater, in milliseconds. Null for other failures, or if it is not a safe integer of at least 0. */
function requestedDelay(failure: JobExecutionException): number | null {
  if (!(failure instanceof RetryLater)) return null;
  return Number.isSafeInteger(failure.delay) && failure.delay >= 0 ? failure.delay : null;
}

/** `isFinal`: true if no retry follows. */
interface Attempt {
  readonly occurrence: Occurrence;
  readonly isDeadLetter: boolean;
  readonly isFinal: boolean;
}

function recordOf(run: EndedRun, end: JobOutcome, attempt: Attempt, parts: RunEndingParts): RunRecord {
  const { firing } = run;
  const { occurrence, isDeadLetter } = attempt;
  const thrown = end.failure === null ? null : thrownBy(end.failure);
  return {
    runId: firing.runId,
    triggerKey: occurrence.triggerKey,
    jobKey: firing.jobDetail.key,
    jobType: firing.jobDetail.jobType,
    instanceId: parts.instanceId,
    occurrenceId: occurrence.id,
    scheduledTime: occurrence.scheduledTime,
    fireTime: firing.fireTime,
    endTime: endTimeOf(run, parts),
    attempt: occurrence.attempt,
    outcome: end.outcome,
    isDeadLetter,
    error: thrown === null ? (end.reason ?? null) : truncateText(messageOf(thrown), MAX_MESSAGE),
    detail: detailOf(run, end, attempt, thrown),
  };
}

/** Serializes the details of a run as JSON. Returns null if there are none. */
function detailOf(
  { firing, notes, traceparent, interruption }: EndedRun,
  { outcome, returned }: JobOutcome,
  { occurrence, isDeadLetter, isFinal }: Attempt,
  thrown: Error | null,
): string | null {
  const canRerun = isDeadLetter || (isFinal && FAILED_OUTCOMES.includes(outcome));
  const isEmpty =
    notes === null && thrown === null && interruption === null && !canRerun && occurrence.shard === undefined;
  if (isEmpty && returned === undefined) return null;
  const mark = canRerun && !isDeadLetter ? { canRerun } : {}; // must be the first key: see RERUNNABLE
  const detail: Draft<RunDetail> = { ...mark, ...detailOfPart(occurrence), ...notes?.detail };
  if (thrown !== null) detail.stack = stackText(thrown);
  if (interruption !== null) detail.interruption = interruption;
  if (canRerun) {
    const { trigger, jobDetail } = firing;
    const { key, ...job } = jobDetail;
    detail.triggerData = following(withoutOccurrence(trigger.data), traceparent);
    detail.priority = trigger.priority;
    if (trigger.policy !== undefined) detail.policy = trigger.policy;
    if (!job.durable) detail.job = job;
  }
  const text = JSON.stringify({ ...detail, ...resultOf(returned) });
  return text === '{}' ? null : text;
}

/** Maximum length of a stored error message, in characters. */
const MAX_MESSAGE = 1_000;
const MAX_STACK_BYTES = 16 * 1024;

/** Returns the error that the job threw. Omits the engine's wrapper, whose message ends with the message of that error. */
function thrownBy(failure: JobExecutionException): Error {
  try {
    const { cause } = failure;
    return isError(cause) && failure.message.endsWith(cause.message) ? cause : failure;
  } catch {
    return failure;
  }
}

function messageOf(error: Error): string {
  return textOf(error, 'message') || textOf(error, 'name') || 'Error';
}

/** Returns the stack with causes and aggregated errors, in at most 16 kB. */
function stackText(error: Error): string {
  const kept = truncateText(stackWithCauses(error) || messageOf(error), MAX_STACK_BYTES);
  // Encodes only whole characters.
  const { read } = new TextEncoder().encodeInto(kept, new Uint8Array(MAX_STACK_BYTES));
  return kept.slice(0, read);
}
