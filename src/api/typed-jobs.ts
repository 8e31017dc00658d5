import type { JobData } from '../domain/job-data';
import type { CronLiteral } from './cron-literal';
import type { EnqueueOptions, ScheduleSettings, ScheduleTime } from './schedule-options';

/** Jobs by job type, as far as their names and data types matter. */
type Registry = Readonly<Record<string, unknown>>;

/** Names of the registered job types, if the compiler knows them, otherwise any text. */
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

/** Data that a job finds in `context.data`, or any map of JSON values if the job does not declare a type. */
type DataOf<Given> = IsAny<ContextData<Given>> extends true ? JobData : ContextData<Given>;

/** Option `data` of a job. */
export type DataFor<Given> = DataOption<DataOf<Given>>;

/** Option `data`, required if the job needs a value in it. */
type DataOption<Data> = Record<never, never> extends Data ? { readonly data?: Data } : { readonly data: Data };

/** Requires `data` if its type needs a value. */
export type RequiredData<Data> = Record<never, never> extends Data ? unknown : { readonly data: Data };

/** Arguments of `enqueue` after the job type: its data, which may be omitted if the job needs none, and options. */
export type EnqueueArguments<Given> =
  Record<never, never> extends DataOf<Given>
    ? [data?: DataOf<Given>, options?: EnqueueOptions]
    : [data: DataOf<Given>, options?: EnqueueOptions];

/** Schedules many jobs of one type, each under its own name. */
export interface JobTypeOption<Type extends string = string> {
  /** Name of a registered job type. */
  readonly job: Type;
}

/** Time and options of a schedule, without its data. `Cron`: the literal type of `cron`, which the compiler checks. */
export type ScheduleTiming<Cron extends string> = Omit<ScheduleSettings, 'data'> & TimeWithCron<Cron, ScheduleTime>;

/** Checks a cron expression of the Quartz dialect if it is a literal. */
type TimeWithCron<Cron extends string, Time> = Time extends { readonly cron: string; readonly dialect?: 'quartz' }
  ? Omit<Time, 'cron'> & { readonly cron: Cron & CronLiteral<Cron> }
  : Time;

/** Jobs of a set of schedules, by the name of the schedule, as far as its entries name them. */
export type SetJobs = Readonly<Record<string, unknown>>;

/** Job that runs for an entry of a set. Never: the entry names no registered job. */
type JobOf<Jobs extends Registry, Name, Given, AnyJob> = Given extends string
  ? Jobs[Given & keyof Jobs]
  : Given extends AnyJob
    ? Given
    : Name extends keyof Jobs
      ? Jobs[Name]
      : never;

/** One entry of a set of schedules. */
type SetEntry<Jobs extends Registry, Name, Given, AnyJob> = ScheduleTiming<string> & {
  /** A job, or the name of a registered job type. Default: the type that is registered under the entry's name. */
  readonly job?: Given & (AnyJob | JobTypeName<Jobs>);
} & DataOption<DataOf<JobOf<Jobs, Name, Given, AnyJob>>>;

/** A set of schedules by name. */
export type ScheduleSet<Jobs extends Registry, Given extends SetJobs, AnyJob> = {
  readonly [Name in keyof Given]: SetEntry<Jobs, Name, Given[Name], AnyJob>;
};
