import type { JobData } from '../domain/job-data';
import type { IsAny } from './literal';
import type { FieldMistakes, GivenFields, Inferred, Member, ScheduleFields, TimeMistake } from './schedule-mistakes';
import type { EnqueueOptions } from './schedule-options';

/** Jobs by job type. Only the names and the data types matter here. */
type Registry = Readonly<Record<string, unknown>>;

/** Names of the registered job types, or `string` if the compiler does not know them. */
export type JobTypeName<Jobs extends Registry> = Extract<keyof Jobs, string>;

// biome-ignore lint/suspicious/noExplicitAny: a job factory gives its own arguments
type ConstructorOf<Instance> = new (...dependencies: any[]) => Instance;

/** Data of a job that has no parameter: none. */
interface NoData {
  readonly [field: string]: 'This job declares no data';
}

type DataIn<Parameters extends readonly unknown[]> = Parameters extends readonly []
  ? NoData
  : Parameters extends readonly [infer Context, ...unknown[]]
    ? Context extends { readonly data: infer Data }
      ? Data
      : JobData
    : JobData;

type ContextData<Given> = Given extends (...parameters: infer Parameters) => unknown
  ? DataIn<Parameters>
  : Given extends { execute(...parameters: infer Parameters): unknown }
    ? DataIn<Parameters>
    : Given extends ConstructorOf<{ execute(...parameters: infer Parameters): unknown }>
      ? DataIn<Parameters>
      : JobData;

/** Type of `context.data` in a job. A map of JSON values if the job declares no type. */
type DataOf<Given> = [Given] extends [never]
  ? JobData
  : IsAny<Given> extends true
    ? JobData
    : IsAny<ContextData<Given>> extends true
      ? JobData
      : ContextData<Given>;

/** True if the data has a required field. */
type IsRequired<Data> = Record<never, never> extends Data ? false : true;

/** Option `data` with the type that the job declares. */
interface DataOption<Data> {
  /** Data of the job, available as `context.data`. Required if its type has a required field. */
  readonly data?: Data;
}

/** Option `job`, which names the job type to run. Use it to create several schedules with different names for one job type. */
export interface JobTypeOption<Type extends string = string> {
  /** Name of a registered job type. Default: the name of the schedule. */
  readonly job: Type;
}

/** The job type that a schedule runs: `job`, or its name. */
type TypeOf<Name, Given> = Given extends { readonly job: infer Type extends string } ? Type : Name;

/** Mistakes of a whole schedule and of its fields. `Owner` names its job in messages. */
type Mistakes<Given, Data, Owner extends string> = TimeMistake<Given> &
  DataMistake<Given, Data, Owner> &
  Mistaken<Given, Data>;

type Mistaken<Given, Data> = FieldMistakes<Given, Data extends NoData ? Record<never, never> : Data>;

type DataMistake<Given, Data, Owner extends string> =
  IsRequired<Data> extends true
    ? 'data' extends keyof Given
      ? unknown
      : { readonly data: `${Owner} needs data` }
    : unknown;

/** `Type` without the name of its alias, so that the compiler shows the members. The mistakes come first, because it shortens the rest. */
type Spelled<Type> = Type extends infer Members ? Members : never;

/** Fields whose types do not depend on the jobs. The compiler compares generic methods by them, so that each `Scheduler<Jobs>` is a `Scheduler`. */
interface UntypedFields extends ScheduleFields {
  readonly job?: unknown;
  readonly data?: unknown;
}

type TypedSchedule<Jobs extends Registry, Type, Given> =
  IsAny<Given> extends true
    ? UntypedFields
    : Spelled<
        Mistakes<Given, DataOf<Jobs[Type & keyof Jobs]>, `Job '${Type & string}'`> &
          ScheduleFields &
          Partial<JobTypeOption<JobTypeName<Jobs>>> &
          DataOption<DataOf<Jobs[Type & keyof Jobs]>>
      >;

/** Time and options of a schedule for a registered job type. */
export type ScheduleArgument<Jobs extends Registry, Name, Given> = Inferred<
  Given,
  TypedSchedule<Jobs, TypeOf<Name, Given>, Given>
>;

/** Name of a schedule. Names a registered job type, unless the option `job` does. */
export type NameArgument<Jobs extends Registry, Name, Given> = Inferred<
  Name,
  [Given] extends [never]
    ? string
    : IsAny<Given> extends true
      ? string
      : Given extends { readonly job: string }
        ? string
        : JobTypeName<Jobs>
>;

/** Time and options of a schedule for a job that is passed with it. */
export type InlineArgument<Given, Data> = Inferred<
  Given,
  IsAny<Given> extends true ? UntypedFields : Spelled<Mistakes<Given, Data, 'This job'> & InlineFields>
>;

interface InlineFields extends ScheduleFields {
  /** Must be absent: the job is passed as the third argument. */
  readonly job?: undefined;
}

/** Data that the compiler infers from a job, or, if the job declares none, from the option `data`. */
export interface InferredData<Data> {
  /** Data of the job, available as `context.data`. Required if its type has a required field. */
  readonly data?: NonNullable<Data>; // an intersection, so that the job's own type has priority
}

/** Job type of `enqueue` without data. */
export type EnqueuedType<Jobs extends Registry, Type extends JobTypeName<Jobs>> = Inferred<
  Type,
  IsAny<Type> extends true ? string : IsRequired<DataOf<Jobs[Type]>> extends true ? `Job '${Type}' needs data` : Type
>;

/** Data of `enqueue`. May be undefined if its type has no required field. */
export type EnqueuedData<Jobs extends Registry, Type extends keyof Jobs> =
  IsAny<Type> extends true
    ? unknown
    : IsRequired<DataOf<Jobs[Type]>> extends true
      ? DataOf<Jobs[Type]>
      : DataOf<Jobs[Type]> | undefined;

/** Options of `enqueue`. */
export type EnqueueArgument<Jobs extends Registry, Type extends keyof Jobs, Given> = Inferred<
  Given,
  IsAny<Given> extends true ? EnqueueOptions : Spelled<Mistaken<Given, DataOf<Jobs[Type]>> & EnqueueOptions>
>;

/** Data of `triggerJob`: fields that replace those of the job. */
export type TriggerData<Jobs extends Registry, Key> =
  IsAny<Key> extends true
    ? unknown
    : Key extends string
      ? string extends keyof Jobs
        ? JobData
        : Key extends keyof Jobs
          ? Partial<DataOf<Jobs[Key]>>
          : JobData
      : JobData;

/** Entries of a set of schedules, with the literal types of their texts. */
export type GivenSet<AnyJob> = Readonly<Record<string, GivenFields & { readonly job?: string | AnyJob }>>;

/** Entry of a set of schedules. */
interface EntryFields<AnyJob> extends ScheduleFields {
  /** A job, or the name of a registered job type. Default: the job type that is registered under the entry's name. */
  readonly job?: AnyJob;
}

/** Job that an entry of a set runs. `never` if the entry names no registered job. */
type JobOf<Jobs extends Registry, Name, Given, AnyJob> = Given extends string
  ? Jobs[Given & keyof Jobs]
  : Given extends AnyJob
    ? Given
    : Name extends keyof Jobs
      ? Jobs[Name]
      : never;

type SetEntry<Jobs extends Registry, Name, Given, AnyJob> =
  IsAny<Given> extends true
    ? UntypedFields
    : Spelled<
        Mistakes<Given, DataOf<JobOf<Jobs, Name, Member<Given, 'job'>, AnyJob>>, `The job of '${Name & string}'`> &
          EntryMistake<JobOf<Jobs, Name, Member<Given, 'job'>, AnyJob>, Name> &
          EntryFields<AnyJob | JobTypeName<Jobs>> &
          DataOption<DataOf<JobOf<Jobs, Name, Member<Given, 'job'>, AnyJob>>>
      >;

type EntryMistake<Found, Name> = [Found] extends [never]
  ? { readonly job: `No job type '${Name & string}' is registered` }
  : unknown;

/** Set of schedules, by name. */
export type ScheduleSet<Jobs extends Registry, Given, AnyJob> = {
  readonly [Name in keyof Given]: Inferred<Given[Name], SetEntry<Jobs, Name, Given[Name], AnyJob>>;
};
