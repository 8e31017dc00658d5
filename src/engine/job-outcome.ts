import { isDeepStrictEqual } from 'node:util';
import { JobExecutionException } from '../api/job-execution-exception';
import { isPlain } from '../base/error-values';
import { SchedulerError, toError } from '../base/errors';
import { checkJobData } from '../domain/check-job-data';
import type { CompletionInstruction } from '../domain/completion';
import { withVersion } from '../domain/data-version';
import type { TriggerFiring } from '../domain/firing';
import { type JobData, withoutSchedulerKeys } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey } from '../domain/keys';
import type { RunOutcome } from '../domain/run';
import { hasEnded } from '../domain/trigger-end';
import type { EventBus } from '../events/event-bus';
import type { FiringStore } from '../store/job-store';
import type { EndedInTransaction, TransactionStore } from '../store/transaction-store';
import { completionOf, type JobOutcome, type RunEndingParts } from './run-ending';
import { isReport } from './run-notes';
import type { JobWork, RunState } from './run-state';

const SUCCEEDED: JobOutcome = { outcome: 'succeeded', failure: null, jobData: null };
const SKIPPED: JobOutcome = { outcome: 'skipped', failure: null, jobData: null };

/**
 * Determines the outcome of an execution from the job's return value and report. Throws INVALID_JOB_DATA for an invalid
 * return value, INVALID_ARGUMENT for an invalid report, and a JobExecutionException if the job reported a failure.
 */
export function answeredOutcome(run: RunState, returned: unknown): JobOutcome {
  const { jobDetail } = run.firing;
  const jobData = returnedJobData(jobDetail, returned, run.dataVersion ?? 1);
  if (!jobDetail.persistJobDataAfterExecution && isReport(returned)) run.ownNotes().addReport(returned);
  const report = run.notes?.report;
  if (report?.outcome === 'failed') throw reportedFailure(report.summary, formatKey(jobDetail.key));
  const ended = report?.outcome === 'skipped' ? SKIPPED : SUCCEEDED;
  return jobData === null && returned === undefined
    ? ended
    : { outcome: ended.outcome, failure: null, jobData, returned };
}

/** Returns a frozen copy of the job data to store, or null for none: not persisted, not returned, or unchanged. Throws INVALID_JOB_DATA. */
export function returnedJobData(jobDetail: JobDetail, returned: unknown, version = 1): JobData | null {
  if (!jobDetail.persistJobDataAfterExecution || returned === undefined || returned === null) return null;
  const name = `job '${formatKey(jobDetail.key)}'`;
  const own = withoutSchedulerKeys(checkJobData(returned, name, undefined, `the job data that ${name} returned`));
  const data = withVersion(own, version);
  return isDeepStrictEqual(data, jobDetail.data) ? null : data;
}

/** Error of a run whose job reported a failure. Has no stack, because the stack would only contain engine frames. */
function reportedFailure(summary: string | undefined, jobName: string): JobExecutionException {
  const error = new JobExecutionException(summary ?? `The job '${jobName}' reported a failure.`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/** Members of a failure that affect the retry and the instruction for the trigger. Only RetryLater has `delay`. */
const FAILURE_FLAGS = ['refireImmediately', 'unscheduleFiringTrigger', 'unscheduleAllTriggers', 'delay'] as const;

/**
 * Converts a thrown value to a JobExecutionException whose flags can be read without calling the job's code. Returns a
 * JobExecutionException with plain members unchanged. Any other value becomes the cause of a new JobExecutionException.
 */
export function toJobFailure(thrown: unknown, jobName: string): JobExecutionException {
  const cause = toError(thrown);
  if (cause instanceof JobExecutionException && isPlain(cause, FAILURE_FLAGS)) return cause;
  return new JobExecutionException(`The job '${jobName}' threw: ${cause.message}`, { cause });
}

/** Converts the error that prevented the creation of a job object: UNKNOWN_JOB_TYPE stays, any other becomes the cause of JOB_FACTORY. */
export function toFactoryError(thrown: unknown, jobName: string): SchedulerError {
  const cause = toError(thrown);
  if (cause instanceof SchedulerError && isPlain(cause, ['code']) && cause.code === 'UNKNOWN_JOB_TYPE') return cause;
  return new SchedulerError('JOB_FACTORY', `The job '${jobName}' could not be created: ${cause.message}`, { cause });
}

/** Outcome of a run whose job threw: `timedOut`, `interrupted` or `failed`. */
export function outcomeOfFailure(run: RunState): RunOutcome {
  if (run.isTimedOut) return 'timedOut';
  return run.isInterrupted ? 'interrupted' : 'failed';
}

/** Returns the instruction for the trigger, in Quartz's order of precedence. If `mayRefire` is false, ignores a requested refire. */
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
  return hasEnded(firing.trigger, firing.fireTime) ? 'DELETE_TRIGGER' : 'NOOP';
}

interface TransactionParts extends RunEndingParts {
  readonly bus: EventBus;
  readonly store: Pick<FiringStore, 'changedElsewhere'>;
  readonly transactions: TransactionStore;
}

/** Runs `work` and stores the end of its run in the same transaction. Rejects with the error of `work`, `answeredOutcome` or the store. */
export async function transactIn<T>(
  parts: TransactionParts,
  run: RunState,
  work: JobWork<T>,
): Promise<EndedInTransaction<T>> {
  const { firing } = run;
  const ended = await parts.transactions.runJob(
    async (sql) => work(sql),
    (answer) => completionOf(run, answeredOutcome(run, answer), decideInstruction(firing, null, false), parts),
  );
  parts.store.changedElsewhere([firing], ended.earliest).catch((thrown: unknown) => {
    const during = `releasing the firing of trigger '${formatKey(firing.trigger.key)}'`;
    parts.bus.publish({ type: 'schedulerError', at: parts.clock.now(), during, error: toError(thrown) });
  });
  return ended;
}
