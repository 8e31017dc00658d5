import { isDeepStrictEqual } from 'node:util';
import { DoNotRetry, JobExecutionException } from '../api/job-execution-exception';
import type { JobSql } from '../api/transactions';
import { isPlain, SchedulerError, toError } from '../base/errors';
import { checkJobData } from '../domain/check-job-data';
import type { CompletionInstruction } from '../domain/completion';
import { DATA_VERSION_KEY, versionOfBoth, withVersion } from '../domain/data-version';
import type { TriggerFiring } from '../domain/firing';
import { type JobData, withoutSchedulerKeys } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey } from '../domain/keys';
import type { RunOutcome } from '../domain/run';
import type { EventBus } from '../events/event-bus';
import type { FiringStore } from '../store/job-store';
import type { EndedInTransaction, TransactionStore } from '../store/transaction-store';
import { JobContext } from './job-context';
import { currentData, NO_RULES } from './job-data-rules';
import type { JobRegistry } from './job-registry';
import { completionOf, type JobOutcome, type RunEndingParts } from './run-ending';
import { isReport } from './run-notes';

const SUCCEEDED: JobOutcome = { outcome: 'succeeded', failure: null, jobData: null };
const SKIPPED: JobOutcome = { outcome: 'skipped', failure: null, jobData: null };

/**
 * How the execution ended whose job has answered this. Throws INVALID_JOB_DATA for a value that a job must not return, INVALID_ARGUMENT for such
 * a report, and what a job reports as failed.
 */
export function answeredOutcome(
  { firing: { jobDetail }, context }: { readonly firing: TriggerFiring; readonly context: JobContext },
  returned: unknown,
): JobOutcome {
  const jobData = returnedJobData(jobDetail, returned, JobContext.dataVersionOf(context) ?? 1);
  if (!jobDetail.persistJobDataAfterExecution && isReport(returned)) JobContext.addReport(context, returned);
  const report = JobContext.notesOf(context)?.report;
  if (report?.outcome === 'failed') throw reportedFailure(report.summary, formatKey(jobDetail.key));
  const ended = report?.outcome === 'skipped' ? SKIPPED : SUCCEEDED;
  return jobData === null && returned === undefined
    ? ended
    : { outcome: ended.outcome, failure: null, jobData, returned };
}

/**
 * The job data to store from a job's return value: a frozen copy, or null when the job does not persist its data, returned
 * nothing, or returned the data that is stored already. Throws INVALID_JOB_DATA.
 */
export function returnedJobData(jobDetail: JobDetail, returned: unknown, version = 1): JobData | null {
  if (!jobDetail.persistJobDataAfterExecution || returned === undefined || returned === null) return null;
  const own = withoutSchedulerKeys(checkJobData(returned, `job '${formatKey(jobDetail.key)}'`));
  const data = withVersion(own, version);
  return isDeepStrictEqual(data, jobDetail.data) ? null : data;
}

/** Of a job that says so by its report. Its stack would show nothing of the job. */
function reportedFailure(summary: string | undefined, jobName: string): JobExecutionException {
  const error = new JobExecutionException(summary ?? `The job '${jobName}' reported that it failed.`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/** What decides what becomes of a firing; `delay` is of RetryLater. */
const FAILURE_FLAGS = ['refireImmediately', 'unscheduleFiringTrigger', 'unscheduleAllTriggers', 'delay'] as const;

/**
 * Any value that a job threw, as an exception whose flags can be read without running code of the job. `isDeclared`: the job threw a
 * JobExecutionException itself; anything else is reported as an error.
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

/** What the run of a job that failed counts as. */
export function outcomeOfFailure(context: JobContext): RunOutcome {
  if (JobContext.isTimedOut(context)) return 'timedOut';
  return JobContext.isInterrupted(context) ? 'interrupted' : 'failed';
}

/** The instruction for the trigger, in Quartz's order of precedence. `mayRefire`: running the job once more is allowed. */
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

/** Whether something says of which version the data of a firing is. */
export const isVersioned = ({ jobDetail, trigger }: TriggerFiring): boolean =>
  DATA_VERSION_KEY in jobDetail.data || DATA_VERSION_KEY in trigger.data;

/** Rejects for data that the code of the job type does not understand. The same data would fail again. */
export async function prepareData(
  registry: JobRegistry,
  { firing: { jobDetail, trigger }, context }: { readonly firing: TriggerFiring; readonly context: JobContext },
): Promise<void> {
  if (JobContext.dataVersionOf(context) !== null) return; // it is run again at once
  const rules = registry.rulesOf(jobDetail.jobType) ?? NO_RULES;
  try {
    const found = { found: context.data, stored: versionOfBoth(jobDetail.data, trigger.data) };
    const data = await currentData(rules, found, `job '${formatKey(jobDetail.key)}'`);
    JobContext.replaceData(context, data, rules.version);
  } catch (thrown) {
    const cause = toError(thrown);
    throw new DoNotRetry(cause.message, { cause });
  }
}

export interface TransactionParts extends RunEndingParts {
  readonly bus: EventBus;
  readonly store: Pick<FiringStore, 'haveEnded'>;
  readonly transactions: TransactionStore;
}

/** Runs statements of a job and the end of its run as one transaction. */
export async function transactIn<T>(
  parts: TransactionParts,
  context: JobContext,
  work: (sql: JobSql) => T | Promise<T>,
): Promise<EndedInTransaction<T>> {
  const firing = JobContext.firingOf(context);
  const ended = await parts.transactions.runJob(
    async (sql) => work(sql),
    (answer) => {
      const outcome = answeredOutcome({ firing, context }, answer);
      return completionOf({ firing, context }, outcome, decideInstruction(firing, null, false), parts);
    },
  );
  parts.store.haveEnded([firing], ended.earliest).catch((thrown: unknown) => {
    const during = `letting '${formatKey(firing.trigger.key)}' go`;
    parts.bus.publish({ type: 'schedulerError', at: parts.clock.now(), during, error: toError(thrown) });
  });
  return ended;
}
