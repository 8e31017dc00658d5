import type { ExecutionPolicy } from './execution-policy';
import { copyJobData, type JobData } from './job-data';
import type { JobKey } from './keys';

/** A stored job: the registered job type to run, its data and its execution settings. */
export interface JobDetail {
  /** Name and group, unique among jobs. */
  readonly key: JobKey;
  /** Name under which the job's code is registered. The scheduler only compares this name, and never loads or evaluates it. */
  readonly jobType: string;
  /** Human-readable description; null: none. */
  readonly description: string | null;
  /** JSON data that every run receives. */
  readonly data: JobData;
  /** True if the job remains stored after its last trigger is deleted. */
  readonly durable: boolean;
  /** True if at most one run of the job executes at a time in the whole cluster. */
  readonly disallowConcurrentExecution: boolean;
  /** True if the job's return value replaces its stored data after a run that does not throw. */
  readonly persistJobDataAfterExecution: boolean;
  /** True if another node repeats a run of the job, marked as recovering, after the node of the run dies. */
  readonly requestsRecovery: boolean;
  /** Execution settings that Quartz does not have; absent: the scheduler's defaults apply. */
  readonly policy?: ExecutionPolicy;
  /** Reason why this node cannot read the stored job; absent if it can. If set, `data` is empty and the job does not run on this node. */
  readonly unreadable?: string;
}

/** Copies the data of a job that stores its data after each run, because the job may change it. Otherwise, changes could not be detected. */
export function withOwnData(jobDetail: JobDetail): JobDetail {
  // Data from the store's thread is not frozen. The key is frozen, so that a job cannot change the key under which its firing completes.
  Object.freeze(jobDetail.key);
  if (!jobDetail.persistJobDataAfterExecution) return Object.freeze(jobDetail);
  return { ...jobDetail, data: copyJobData(jobDetail.data) };
}
