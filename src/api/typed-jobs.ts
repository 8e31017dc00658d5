import type { JobData } from '../domain/job-data';
import type { CronLiteral } from './cron-literal';
import type { EnqueueOptions, ScheduleSettings, ScheduleTime } from './schedule-options';

/** Jobs by job type. Only the names and the data types matter here. */
type Registry = Readonly<Record<string, unknown>>;

/** Names of the registered job types, or `string` if the compiler does not know them. */
export type JobTypeName<Jobs extends Registry> = Extract<keyof Jobs, string>;

type IsAny<Type> = 0 extends 1 & Type ? true : false;

// biome-ignore lint/suspicious/noExplicitAny: a job factory gives its own arguments
type ConstructorOf<Instance> = new (...dependencies: any[]) => Instance;

type DataIn<Context> = Context extends { readonly data: infer Data } ? Data : JobData;

type ContextData<Given> = Given extends (context: infer Context) => unknown
  ? DataIn<Context>
  : Given extends { execute(context: infer Context): unknown }
    ? DataIn<Context>
    : Given extends ConstructorOf<{ execute(context: infer Context): unknown }>
      ? DataIn<Context>
      : JobData;

/** Type of `context.data` in a job. A map of JSON values if the job declares no type. */
type DataOf<Given> = IsAny<ContextData<Given>> extends true ? JobData : ContextData<Given>;

/** Option `data` with the type that the job declares. */
export type DataFor<Given> = DataOption<DataOf<Given>>;

/** Option `data`, which is required if its type has a required field. */
type DataOption<Data> = Record<never, never> extends Data ? { readonly data?: Data } : { readonly data: Data };

/** Makes `data` required if its type has a required field. */
export type RequiredData<Data> = Record<never, never> extends Data ? unknown : { readonly data: Data };

/** Arguments of `enqueue` after the job type: data and options. The data may be omitted if its type has no required field. */
export type EnqueueArguments<Given> =
  Record<never, never> extends DataOf<Given>
    ? [data?: DataOf<Given>, options?: EnqueueOptions]
    : [data: DataOf<Given>, options?: EnqueueOptions];

/** Names the job type to run. Use it to create several schedules with different names for one job type. */
export interface JobTypeOption<Type extends string = string> {
  /** Name of a registered job type. */
  readonly job: Type;
}

/** Time and options of a schedule, without `data`. `Cron` is the literal type of `cron`, which the compiler checks. */
export type ScheduleTiming<Cron extends string> = Omit<ScheduleSettings, 'data'> & TimeWithCron<Cron, ScheduleTime>;

/** Adds the compile-time check to `cron` in the Quartz dialect. */
type TimeWithCron<Cron extends string, Time> = Time extends { readonly cron: string; readonly dialect?: 'quartz' }
  ? Omit<Time, 'cron'> & { readonly cron: Cron & CronLiteral<Cron> }
  : Time;

/** Jobs given in the entries of a set of schedules, by name of the entry. */
export type SetJobs = Readonly<Record<string, unknown>>;

/** Job that an entry of a set runs. `never` if the entry names no registered job. */
type JobOf<Jobs extends Registry, Name, Given, AnyJob> = Given extends string
  ? Jobs[Given & keyof Jobs]
  : Given extends AnyJob
    ? Given
    : Name extends keyof Jobs
      ? Jobs[Name]
      : never;

/** Entry of a set of schedules. */
type SetEntry<Jobs extends Registry, Name, Given, AnyJob> = ScheduleTiming<string> & {
  /** A job, or the name of a registered job type. Default: the job type that is registered under the entry's name. */
  readonly job?: Given & (AnyJob | JobTypeName<Jobs>);
} & DataOption<DataOf<JobOf<Jobs, Name, Given, AnyJob>>>;

/** Set of schedules, by name. */
export type ScheduleSet<Jobs extends Registry, Given extends SetJobs, AnyJob> = {
  readonly [Name in keyof Given]: SetEntry<Jobs, Name, Given[Name], AnyJob>;
};
