import type { Job, JobClass, JobFactory, JobObject, Jobs } from '../api/scheduler';
import { badArgument, SchedulerError } from '../base/errors';
import { describeValue, invalidArgument, unmet } from '../domain/check-text';
import type { JobDetail } from '../domain/job-detail';
import { type JobDataRules, NO_RULES, rulesIn } from './job-data-rules';

interface Registration {
  readonly job: Job;
  readonly make: () => JobObject;
  readonly rules: JobDataRules;
}

/** Job types that can run on this node, with their code. Code is never loaded by the name of a job type. */
export class JobRegistry {
  readonly #registrations = new Map<string, Registration>();
  #types: readonly string[] = [];
  #hasRules = false;
  #factory: JobFactory | null = null;
  readonly #onChanged: (() => void)[] = [];

  constructor(jobs: Jobs = {}) {
    for (const [type, job] of Object.entries(jobs)) this.register(type, job);
  }

  /** Registers a job type; repeating it has no effect. Throws INVALID_ARGUMENT if `job` is not a job or the type belongs to another job. */
  // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; the registry holds them all
  register(type: string, job: Job<any>): void {
    if (typeof type !== 'string' || type === '') throw invalidArgument('a name as job type', type);
    const known = this.#registrations.get(type);
    if (known !== undefined) {
      if (known.job === job) return;
      throw badArgument(
        `The job type '${type}' is already registered with another job. Choose another name for the new job.`,
      );
    }
    this.replace(type, job);
  }

  /** Registers a job type, or replaces its job for later firings. Throws INVALID_ARGUMENT if `job` is not a job. */
  // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; the registry holds them all
  replace(type: string, job: Job<any>): void {
    const make = makerOf(type, job);
    const rules = rulesIn(type, job);
    this.#registrations.set(type, { job, make, rules });
    this.#hasRules ||= rules !== NO_RULES;
    this.#types = [...this.#registrations.keys()];
    this.#notify();
  }

  /** Names of the registered job types. Returns the same array until the next registration. */
  types(): readonly string[] {
    return this.#types;
  }

  has(type: string): boolean {
    return this.#registrations.has(type);
  }

  /** True if any job registered so far has rules for its data. While false, callers can skip `rulesOf`. */
  get hasRules(): boolean {
    return this.#hasRules;
  }

  /** Returns the data rules of a job type, or null if the type is not registered on this node. */
  rulesOf(type: string): JobDataRules | null {
    return this.#registrations.get(type)?.rules ?? null;
  }

  /** Sets the factory that creates the job object of each later firing; null restores the default. Throws INVALID_ARGUMENT. */
  setFactory(factory: JobFactory | null): void {
    if (factory !== null && typeof factory !== 'function') {
      throw invalidArgument('a function as job factory', factory);
    }
    this.#factory = factory;
    this.#notify();
  }

  /** Adds a listener for registrations and new factories, because stored triggers may then run on this node. */
  onChanged(listener: () => void): void {
    this.#onChanged.push(listener);
  }

  #notify(): void {
    for (const notify of this.#onChanged) notify();
  }

  /**
   * Returns the job object for one firing. Fails with UNKNOWN_JOB_TYPE if the type is not registered, with
   * INVALID_ARGUMENT if the factory or class created no valid object, or with the error of the factory or constructor.
   */
  resolve(jobDetail: JobDetail): JobObject | Promise<JobObject> {
    const registration = this.#registrations.get(jobDetail.jobType);
    if (registration === undefined) throw this.#unknown(jobDetail.jobType);
    if (this.#factory === null) return registration.make();
    return this.#fromFactory(this.#factory, registration.job, jobDetail);
  }

  async #fromFactory(factory: JobFactory, job: Job, jobDetail: JobDetail): Promise<JobObject> {
    const made: unknown = await factory(job, jobDetail);
    if (isJobObject(made)) return made;
    const expected = `the job factory to return an object with an execute method for '${jobDetail.jobType}'`;
    throw unmet(expected, describe(made));
  }

  #unknown(type: string): SchedulerError {
    const known = this.#types.length === 0 ? 'none' : this.#types.join(', ');
    return new SchedulerError('UNKNOWN_JOB_TYPE', `No job is registered as '${type}'. Registered here: ${known}.`);
  }
}

function makerOf(type: string, job: Job): () => JobObject {
  if (isJobClass(job)) return () => checkInstance(type, new (withoutArguments(type, job))());
  if (typeof job === 'function') {
    const object: JobObject = { execute: job };
    return () => object;
  }
  if (isJobObject(job)) return () => job;
  throw unmet(`a function, a class or an object with an execute method as job '${type}'`, describe(job));
}

/** Throws INVALID_ARGUMENT if the constructor has required parameters, because only a job factory can provide arguments. */
function withoutArguments(type: string, job: JobClass): JobClass {
  if (job.length === 0) return job;
  throw badArgument(
    `Expected a job factory for '${type}', whose class takes ${job.length} argument${job.length === 1 ? '' : 's'}, found none. ` +
      'Give one with setJobFactory, or register an object.',
  );
}

/** Throws INVALID_ARGUMENT for an instance without `execute`. Needs an instance, because a class may declare `execute` as a field. */
function checkInstance(type: string, instance: JobObject): JobObject {
  if (isJobObject(instance)) return instance;
  throw badArgument(`The class registered as job '${type}' has no execute method.`);
}

function isJobObject(value: unknown): value is JobObject {
  return typeof value === 'object' && value !== null && typeof (value as Partial<JobObject>).execute === 'function';
}

/** True for a class, and for a constructor function with `execute` on its prototype, as older compilers generate from a class. */
function isJobClass(job: Job): job is JobClass {
  if (typeof job !== 'function') return false;
  return /^class\b/.test(Function.prototype.toString.call(job)) || typeof job.prototype?.execute === 'function';
}

function describe(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object without it' : describeValue(value);
}
