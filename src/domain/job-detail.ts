import type { ExecutionPolicy } from './execution-policy';
import { copyJobData, type JobData } from './job-data';
import type { JobKey } from './keys';

/** A stored job: which registered job type to run, with which data and which guarantees. */
export interface JobDetail {
  /** Name and group, unique among jobs. */
  readonly key: JobKey;
  /** The name under which the code is registered; never loaded or evaluated. */
  readonly jobType: string;
  /** Description for readers; null: none. */
  readonly description: string | null;
  /** Data that every run receives, as JSON values. */
  readonly data: JobData;
  /** True if the job stays stored when its last trigger is deleted. */
  readonly durable: boolean;
  /** True if the job never has two executions at the same time, in the whole cluster. */
  readonly disallowConcurrentExecution: boolean;
  /** True if the job's return value replaces its stored data after a run that did not throw. */
  readonly persistJobDataAfterExecution: boolean;
  /** True if the job reruns, marked as recovering, when the node that ran it died. */
  readonly requestsRecovery: boolean;
  /** Execution settings in addition to Quartz's; absent: the scheduler's defaults. */
  readonly policy?: ExecutionPolicy;
  /** Reason why this node cannot read the stored job; absent if it can. `data` is then empty, and the job does not run here. */
  readonly unreadable?: string;
}

/**
 * Gives a job that persists its data a copy, which it may change and return, on every store. Without the copy, the returned data could not be
 * distinguished from the stored data.
 */
export function withOwnData(jobDetail: JobDetail): JobDetail {
  // Data from the store's thread is not frozen, but the firing must complete under its original keys.
  Object.freeze(jobDetail.key);
  if (!jobDetail.persistJobDataAfterExecution) return Object.freeze(jobDetail);
  return { ...jobDetail, data: copyJobData(jobDetail.data) };
}
