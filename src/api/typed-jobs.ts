import type { JobData } from '../domain/job-data';
import type { CronLiteral } from './cron-literal';
import type { ScheduleSettings, ScheduleTime } from './schedule-options';
import type { Job, JobExecutionContext, Jobs } from './scheduler';

/** Names of the registered job types, as far as the compiler knows them; any text otherwise. */
export type JobTypeName<Registry extends Jobs> = Extract<keyof Registry, string>;

type IsAny<Type> = 0 extends 1 & Type ? true : false;

type ContextData<Given> = Given extends (context: JobExecutionContext<infer Data>) => unknown
  ? Data
  : Given extends { execute(context: JobExecutionContext<infer Data>): unknown }
    ? Data
    : // biome-ignore lint/suspicious/noExplicitAny: a job factory gives its own arguments
      Given extends new (...dependencies: any[]) => { execute(context: JobExecutionContext<infer Data>): unknown }
      ? Data
      : JobData;

/** Data that a job finds in `context.data`; any map of JSON values for a job that does not say. */
export type DataOf<Given> = IsAny<ContextData<Given>> extends true ? JobData : ContextData<Given>;

/** The option `data`, required where the job needs something in it. */
export type DataOption<Data> = Record<never, never> extends Data ? { readonly data?: Data } : { readonly data: Data };

/** When a job runs, and how, without its data. `Cron`: the literal type of `cron`, which the compiler checks. */
export type ScheduleTiming<Cron extends string> = Omit<ScheduleSettings, 'data'> & TimeWithCron<Cron, ScheduleTime>;

/** A cron expression of the Quartz dialect is checked when it is a literal. */
type TimeWithCron<Cron extends string, Time> = Time extends { readonly cron: string; readonly dialect?: 'quartz' }
  ? Omit<Time, 'cron'> & { readonly cron: Cron & CronLiteral<Cron> }
  : Time;

/** What a set of schedules says of its jobs, by the name of the schedule: a job, the name of a registered type, or nothing. */
// biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a set holds them all
export type SetJobs<Registry extends Jobs> = Readonly<Record<string, Job<any> | JobTypeName<Registry> | undefined>>;

/** The job that runs for an entry of a set. */
type JobOf<Registry extends Jobs, Name, Given> = Given extends string
  ? Registry[Given & keyof Registry]
  : [Given] extends [undefined]
    ? Name extends keyof Registry
      ? Registry[Name]
      : never
    : Given;

/** One entry of a set of schedules. */
export type SetEntry<Registry extends Jobs, Name, Given> = ScheduleTiming<string> & {
  /** What runs: a job, or the name of a registered job type. Default: the type that is registered under the name of the entry. */
  readonly job?: Given;
} & DataOption<DataOf<JobOf<Registry, Name, NonNullable<Given> extends never ? undefined : Given>>>;
