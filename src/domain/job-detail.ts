import type { ExecutionPolicy } from './execution-policy';
import { copyJobData, type JobData } from './job-data';
import type { JobKey } from './keys';

/** A stored job: which registered job type to run, with which data and which guarantees. */
export interface JobDetail {
  /** Name and group, unique among jobs. */
  readonly key: JobKey;
  /** The name under which the code is registered; never loaded or evaluated. */
  readonly jobType: string;
  /** For people; null: none. */
  readonly description: string | null;
  /** What every run finds: JSON values. */
  readonly data: JobData;
  /** Stays stored when its last trigger is gone. */
  readonly durable: boolean;
  /** At most one execution of this job at a time, in the whole cluster. */
  readonly disallowConcurrentExecution: boolean;
  /** What the job returns replaces its stored data after a run that did not throw. */
  readonly persistJobDataAfterExecution: boolean;
  /** Run again, marked as recovering, when the node that ran it died. */
  readonly requestsRecovery: boolean;
  /** How it is run beyond what Quartz knows; absent: as the scheduler's defaults say. */
  readonly policy?: ExecutionPolicy;
  /** Present where this node cannot read what is stored: why. `data` is empty then, and the job does not run here. */
  readonly unreadable?: string;
}

/**
 * A job that persists its data may change what it is given and return that, on every store: what it is given is a copy, or
 * what it returns could not be told from what is stored.
 */
export function withOwnData(jobDetail: JobDetail): JobDetail {
  // What comes from the store's thread is not frozen, and the firing is completed under the keys that it was fired under.
  Object.freeze(jobDetail.key);
  if (!jobDetail.persistJobDataAfterExecution) return Object.freeze(jobDetail);
  return { ...jobDetail, data: copyJobData(jobDetail.data) };
}
