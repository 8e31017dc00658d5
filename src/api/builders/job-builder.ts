import { systemRandom } from '../../base/ids';
import { checkJobData } from '../../domain/check-job-data';
import { checkText } from '../../domain/check-text';
import { checkJobPolicy } from '../../domain/execution-policy';
import { type JobData, NO_DATA } from '../../domain/job-data';
import type { JobDetail } from '../../domain/job-detail';
import { type JobKey, jobKey } from '../../domain/keys';
import { checkDescription, checkFlag, checkKey, LIMITS } from '../../domain/limits';
import { checkObject } from './check-arguments';
import { PolicyBuilder, policyIn, setPolicy } from './policy-builder';

/** Builder of a job: `newJob('send-report').withIdentity('daily').build()`. All methods throw INVALID_ARGUMENT for invalid values. */
export class JobBuilder<Data extends JobData = JobData> extends PolicyBuilder {
  #jobType: string;
  #key: JobKey | null = null;
  #description: string | null = null;
  #data: JobData = NO_DATA;
  #durable = false;
  #disallowConcurrentExecution = false;
  #persistJobDataAfterExecution = false;
  #requestsRecovery = false;

  /** `jobType`: the name under which the code is registered. Throws INVALID_ARGUMENT for an invalid name. */
  constructor(jobType: string) {
    super((policy) => checkJobPolicy(policy, 'a job'));
    this.#jobType = checkJobType(jobType);
  }

  /** Sets the job type, which is the name under which the code is registered. */
  ofType(jobType: string): this {
    this.#jobType = checkJobType(jobType);
    return this;
  }

  /** Sets the key of the job. Default: a unique name in the group DEFAULT. */
  withIdentity(key: JobKey): this;
  withIdentity(name: string, group?: string): this;
  withIdentity(name: JobKey | string, group?: string): this {
    this.#key = checkKey(typeof name === 'string' ? jobKey(name, group) : name, 'job');
    return this;
  }

  /** Sets a human-readable description, at most 250 characters. The length is checked when the job is stored. */
  withDescription(description: string | null): this {
    this.#description = checkDescription(description);
    return this;
  }

  /** Reruns the job on another node if the node that runs it dies. `isRecovering` is true in the rerun. Default: false. */
  requestRecovery(requested = true): this {
    this.#requestsRecovery = checkFlag(requested, 'requestRecovery');
    return this;
  }

  /** Keeps the job stored after its last trigger is deleted. Default: false, which deletes the job together with its last trigger. */
  storeDurably(durable = true): this {
    this.#durable = checkFlag(durable, 'storeDurably');
    return this;
  }

  /** Prevents concurrent runs of this job in the whole cluster. A firing during a run waits until the run has ended. Default: false. */
  disallowConcurrentExecution(disallowed = true): this {
    this.#disallowConcurrentExecution = checkFlag(disallowed, 'disallowConcurrentExecution');
    return this;
  }

  /**
   * Replaces the job's stored data with the value that each run returns. Default: false. Also set `disallowConcurrentExecution`, so that runs do
   * not overwrite each other's data.
   */
  persistJobDataAfterExecution(persisted = true): this {
    this.#persistJobDataAfterExecution = checkFlag(persisted, 'persistJobDataAfterExecution');
    return this;
  }

  /** Adds an object or a single value to the job data. Throws INVALID_JOB_DATA if the data is not JSON or exceeds 60 KiB. */
  usingJobData(data: Data): this;
  usingJobData<Key extends keyof Data & string>(key: Key, value: Data[Key]): this;
  usingJobData(dataOrKey: JobData | string, value?: unknown): this {
    const added = typeof dataOrKey === 'string' ? { [dataOrKey]: value } : dataOrKey;
    this.#data = checkJobData({ ...this.#data, ...checkJobData(added, 'a job') }, 'a job');
    return this;
  }

  /** Replaces the job data. Throws INVALID_JOB_DATA if the data is not JSON or exceeds 60 KiB. */
  setJobData(data: Data): this {
    this.#data = checkJobData(data, 'a job');
    return this;
  }

  /** Builds the job. Without an identity, the job has a random name in the group DEFAULT. */
  build(): JobDetail {
    const job: JobDetail = {
      key: this.#key ?? jobKey(systemRandom.token(24)),
      jobType: this.#jobType,
      description: this.#description,
      data: this.#data,
      durable: this.#durable,
      disallowConcurrentExecution: this.#disallowConcurrentExecution,
      persistJobDataAfterExecution: this.#persistJobDataAfterExecution,
      requestsRecovery: this.#requestsRecovery,
    };
    const policy = policyIn(this);
    return policy === undefined ? job : { ...job, policy };
  }
}

/**
 * Returns a builder of a job. `jobType`: name under which the code is registered. `Data`: type of the job data. Throws INVALID_ARGUMENT for an
 * invalid name.
 */
export function newJob<Data extends JobData = JobData>(jobType: string): JobBuilder<Data> {
  return new JobBuilder<Data>(jobType);
}

/** Returns a builder with all fields of an existing job (Quartz: getJobBuilder). */
export function toJobBuilder(job: JobDetail): JobBuilder {
  const builder = new JobBuilder(checkObject(job, 'a job detail').jobType)
    .withIdentity(job.key)
    .withDescription(job.description)
    .setJobData(job.data)
    .storeDurably(job.durable)
    .disallowConcurrentExecution(job.disallowConcurrentExecution)
    .persistJobDataAfterExecution(job.persistJobDataAfterExecution)
    .requestRecovery(job.requestsRecovery);
  setPolicy(builder, job.policy);
  return builder;
}

function checkJobType(jobType: string): string {
  return checkText(jobType, 'the job type', LIMITS.jobType);
}
