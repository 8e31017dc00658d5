import type { Job, JobClass, JobFactory, JobObject, Jobs } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';
import type { JobDetail } from '../domain/job-detail';
import { type JobDataRules, NO_RULES, rulesIn } from './job-data-rules';

/** One registered job: what the user gave, and how to get an object to execute. */
interface Registration {
  readonly job: Job;
  readonly make: () => JobObject;
  readonly rules: JobDataRules;
}

/** The closed list of what can run here: job type names and the code behind them. Nothing is ever loaded by name. */
export class JobRegistry {
  readonly #registrations = new Map<string, Registration>();
  #types: readonly string[] = [];
  #hasRules = false;
  #factory: JobFactory | null = null;
  readonly #onRegistered: (() => void)[] = [];

  constructor(jobs: Jobs = {}) {
    for (const [type, job] of Object.entries(jobs)) this.register(type, job);
  }

  /** Adds a job type; the same job again changes nothing. Throws INVALID_ARGUMENT: no job, or the type is taken. */
  // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; the registry holds them all
  register(type: string, job: Job<any>): void {
    if (typeof type !== 'string' || type === '') {
      throw new SchedulerError('INVALID_ARGUMENT', `Expected a name as job type, found ${describeValue(type)}.`);
    }
    const known = this.#registrations.get(type);
    if (known !== undefined) {
      if (known.job === job) return;
      throw new SchedulerError(
        'INVALID_ARGUMENT',
        `The job type '${type}' is registered with another job already. Choose another name for this one.`,
      );
    }
    this.replace(type, job);
  }

  /** As `register`, but puts `job` in the place of another one: later firings run it. */
  // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; the registry holds them all
  replace(type: string, job: Job<any>): void {
    const make = makerOf(type, job);
    const rules = rulesIn(type, job);
    this.#registrations.set(type, { job, make, rules });
    this.#hasRules ||= rules !== NO_RULES;
    this.#types = [...this.#registrations.keys()];
    for (const tell of this.#onRegistered) tell();
  }

  /** The registered names; a new array only after a registration. */
  types(): readonly string[] {
    return this.#types;
  }

  has(type: string): boolean {
    return this.#registrations.has(type);
  }

  /** False: no job that was ever registered has rules for its data, and none need to be looked for. */
  get hasRules(): boolean {
    return this.#hasRules;
  }

  /** What the data of jobs of the type must be like; null: the type is not registered. */
  rulesOf(type: string): JobDataRules | null {
    return this.#registrations.get(type)?.rules ?? null;
  }

  /** From now on `factory` makes the object for every firing; null restores the default. */
  setFactory(factory: JobFactory | null): void {
    if (factory !== null && typeof factory !== 'function') {
      throw new SchedulerError('INVALID_ARGUMENT', `Expected a function as job factory, found ${typeof factory}.`);
    }
    this.#factory = factory;
  }

  /** `listener` is called after every registration: stored triggers of that type can run from now on. */
  onRegistered(listener: () => void): void {
    this.#onRegistered.push(listener);
  }

  /** The object to execute for one firing. Throws UNKNOWN_JOB_TYPE, or whatever a constructor or the factory throws. */
  resolve(jobDetail: JobDetail): JobObject | Promise<JobObject> {
    const registration = this.#registrations.get(jobDetail.jobType);
    if (registration === undefined) throw this.#unknown(jobDetail.jobType);
    if (this.#factory === null) return registration.make();
    return this.#fromFactory(this.#factory, registration.job, jobDetail);
  }

  async #fromFactory(factory: JobFactory, job: Job, jobDetail: JobDetail): Promise<JobObject> {
    const made: unknown = await factory(job, jobDetail);
    if (isJobObject(made)) return made;
    throw new SchedulerError(
      'INVALID_ARGUMENT',
      `The job factory must return an object with an execute method for '${jobDetail.jobType}', found ${typeof made}.`,
    );
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
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a function, a class or an object with an execute method as job '${type}', found ${describe(job)}.`,
  );
}

/** Throws INVALID_ARGUMENT for a class that needs something: only a job factory knows it. */
function withoutArguments(type: string, job: JobClass): JobClass {
  if (job.length === 0) return job;
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a job factory for '${type}', whose class takes ${job.length} argument${job.length === 1 ? '' : 's'}, found none. ` +
      'Give one with setJobFactory, or register an object.',
  );
}

/** A class whose `execute` is a field shows it only on its instances. */
function checkInstance(type: string, instance: JobObject): JobObject {
  if (isJobObject(instance)) return instance;
  throw new SchedulerError('INVALID_ARGUMENT', `The class registered as job '${type}' has no execute method.`);
}

function isJobObject(value: unknown): value is JobObject {
  return typeof value === 'object' && value !== null && typeof (value as Partial<JobObject>).execute === 'function';
}

/** A class by syntax, or a constructor function that older compilers made of one. */
function isJobClass(job: Job): job is JobClass {
  if (typeof job !== 'function') return false;
  return /^class\b/.test(Function.prototype.toString.call(job)) || typeof job.prototype?.execute === 'function';
}

function describe(value: unknown): string {
  return value === null ? 'null' : `a value of type ${typeof value}`;
}
