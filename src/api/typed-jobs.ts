import type { JobData } from '../domain/job-data';
import type { CronLiteral } from './cron-literal';
import type { EnqueueOptions, ScheduleSettings, ScheduleTime } from './schedule-options';

/** A registry of jobs, as far as its names and the data of its jobs count. */
type Registry = Readonly<Record<string, unknown>>;

/** Names of the registered job types, as far as the compiler knows them; any text otherwise. */
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

/** Data that a job finds in `context.data`; any map of JSON values for a job that does not say. */
type DataOf<Given> = IsAny<ContextData<Given>> extends true ? JobData : ContextData<Given>;

/** The option `data` of a job. */
export type DataFor<Given> = DataOption<DataOf<Given>>;

/** The option `data`, required where the job needs something in it. */
type DataOption<Data> = Record<never, never> extends Data ? { readonly data?: Data } : { readonly data: Data };

/** Requires `data` where its type is inferred. */
export type RequiredData<Data> = Record<never, never> extends Data ? unknown : { readonly data: Data };

/** Arguments of `enqueue` behind the job type: its data, which may be left out where the job needs none, and options. */
export type EnqueueArguments<Given> =
  Record<never, never> extends DataOf<Given>
    ? [data?: DataOf<Given>, options?: EnqueueOptions]
    : [data: DataOf<Given>, options?: EnqueueOptions];

/** The way to schedule many jobs of one type, each under a name of its own. */
export interface JobTypeOption<Type extends string = string> {
  /** Name of a registered job type. */
  readonly job: Type;
}

/** Time and options of a schedule, without its data. `Cron`: the literal type of `cron`, which the compiler checks. */
export type ScheduleTiming<Cron extends string> = Omit<ScheduleSettings, 'data'> & TimeWithCron<Cron, ScheduleTime>;

/** A cron expression of the Quartz dialect is checked when it is a literal. */
type TimeWithCron<Cron extends string, Time> = Time extends { readonly cron: string; readonly dialect?: 'quartz' }
  ? Omit<Time, 'cron'> & { readonly cron: Cron & CronLiteral<Cron> }
  : Time;

/** Jobs of a set of schedules by the name of the schedule, as far as its entries give them. */
export type SetJobs = Readonly<Record<string, unknown>>;

/** The job that runs for an entry of a set; never: the entry names none that is registered. */
type JobOf<Jobs extends Registry, Name, Given, AnyJob> = Given extends string
  ? Jobs[Given & keyof Jobs]
  : Given extends AnyJob
    ? Given
    : Name extends keyof Jobs
      ? Jobs[Name]
      : never;

/** One entry of a set of schedules. */
type SetEntry<Jobs extends Registry, Name, Given, AnyJob> = ScheduleTiming<string> & {
  /** A job, or the name of a registered job type. Default: the type that is registered under the name of the entry. */
  readonly job?: Given & (AnyJob | JobTypeName<Jobs>);
} & DataOption<DataOf<JobOf<Jobs, Name, Given, AnyJob>>>;

/** A set of schedules by their names. */
export type ScheduleSet<Jobs extends Registry, Given extends SetJobs, AnyJob> = {
  readonly [Name in keyof Given]: SetEntry<Jobs, Name, Given[Name], AnyJob>;
};
