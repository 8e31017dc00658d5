/*
 * Mistakes in the literals of a schedule, found at compile time. The compiler shows a message as the type that it expected.
 *
 * The parameter of a typed method is `Inferred<Given, Checked>`. `Given` is the type of the argument, with the literals of `GivenFields`. `Checked`
 * is the type of valid arguments, in which each mistaken field has a message as its type.
 */
import type { CronMistake } from './cron-literal';
import type { DurationMistake, RepeatedMistake } from './duration-literal';
import type { KeyMistake } from './key-literal';
import type { SchedulePolicy, ScheduleTimes } from './schedule-options';
import type { TimeZoneMistake } from './time-zone-literal';

/** Infers `Given` from the argument. The argument must fit `Checked`. */
export type Inferred<Given, Checked> = [Given] extends [unknown] ? Checked : Given;

/** A string of which the compiler keeps the literal type: a union with a template type is what asks for it. */
type Text = (string & Record<never, never>) | `${string} ${string}`;
type Duration = number | Text;

/** Fields of a schedule that the typed methods accept, in addition to `job` and `data`. */
export interface ScheduleFields extends SchedulePolicy, ScheduleTimes {}

type OfAnyType<Names extends string> = { readonly [Name in Names]?: unknown };

/** Fields with the literal types of their texts. Wider than the fields that are accepted, so that each mistake gets its own message. */
interface GivenTexts {
  readonly cron?: Text;
  readonly dialect?: Text;
  readonly every?: Duration;
  readonly timeZone?: Text;
  readonly retry?: Text | number | false | readonly Duration[] | (OfAnyType<'max' | 'factor' | 'jitter'> & Delays);
  readonly concurrency?: number | (OfAnyType<'limit'> & { readonly key?: Text });
  readonly rate?: OfAnyType<'limit' | 'burst'> & { readonly key?: Text; readonly per?: Duration };
  readonly timeout?: Duration | { readonly after?: Duration; readonly grace?: Duration; readonly deadline?: Duration };
  readonly startWithin?: Duration;
  readonly mustSucceedWithin?: Duration;
  readonly jitter?: Duration;
  readonly catchUp?: OfAnyType<'max'> & { readonly window?: Duration; readonly pace?: Duration };
  readonly prefers?: Text | readonly unknown[] | (OfAnyType<'labels'> & { readonly fallbackAfter?: Duration });
}

interface Delays {
  readonly delay?: Duration;
  readonly maxAge?: Duration;
}

/** Fields of a schedule as the compiler infers them. */
export interface GivenFields
  extends GivenTexts,
    OfAnyType<Exclude<keyof ScheduleFields, keyof GivenTexts> | 'data' | 'job'> {}

type TimeName = 'cron' | 'every' | 'at' | 'after';

/** Names of the times that are given, without those that may be undefined. */
type TimesOf<Given> = { [Name in keyof Given & TimeName]: undefined extends Given[Name] ? never : Name }[keyof Given &
  TimeName];

type IsUnion<Type, Whole = Type> = Type extends unknown ? ([Whole] extends [Type] ? false : true) : never;

/** Message at `cron` if no time is given, and at each time if several are. `unknown` otherwise, and for fields that may be absent. */
export type TimeMistake<Given> = string extends keyof Given
  ? unknown
  : [keyof Given & TimeName] extends [never]
    ? { readonly cron: 'Expected one of cron, every, at and after' }
    : IsUnion<TimesOf<Given>> extends true
      ? { readonly [Name in TimesOf<Given>]: 'Expected only one of cron, every, at and after' }
      : OnlyWith<Given, 'dialect', 'cron'> & OnlyWith<Given, 'on', 'after'>;

type OnlyWith<Given, Name extends string, Time extends TimeName> = [Member<Given, Name>, TimesOf<Given>] extends
  | [undefined, unknown]
  | [unknown, Time]
  ? unknown
  : { readonly [Key in Name]: `Expected ${Name} only with ${Time}` };

/** Mistakes in these members of an object, each with the message as its type. `unknown` if there are none. */
type In<Parts, Messages> = string extends keyof Parts
  ? unknown
  : Parts extends object
    ? Wrong<{ [Name in keyof Parts & keyof Messages]: Messages[Name] }>
    : unknown;

type Wrong<Messages> = [keyof WrongOnly<Messages>] extends [never] ? unknown : WrongOnly<Messages>;

type WrongOnly<Messages> = {
  readonly [Name in keyof Messages as IsWrong<Messages[Name]> extends true ? Name : never]: Messages[Name];
};

type IsWrong<Message> = [Message] extends [never] ? false : unknown extends Message ? false : true;

/** Type of a member. `undefined` if there is none. */
export type Member<Parts, Name extends PropertyKey> = Parts extends unknown
  ? Name extends keyof Parts
    ? Parts[Name]
    : undefined
  : never;

type Durations<Parts, Names extends string> = In<
  Parts,
  { readonly [Name in Names]: DurationMistake<Member<Parts, Name>> }
>;

/** The mistake in a text, or the mistakes in the members of an object. */
type EitherMistake<Value, OfText, OfParts> = Value extends string ? OfText : Value extends object ? OfParts : never;

/** Delays of a list of retries: a message for the list. */
type RetryMistake<Retry> = Retry extends readonly (infer Delay)[]
  ? [DurationMistake<Delay>] extends [never]
    ? never
    : readonly DurationMistake<Delay>[]
  : EitherMistake<Retry, RepeatedMistake<Retry>, Durations<Retry, 'delay' | 'maxAge'>>;

interface Messages<Given, Data> {
  readonly cron: CronMistake<Member<Given, 'cron'>, Member<Given, 'dialect'>>;
  readonly every: DurationMistake<Member<Given, 'every'>>;
  readonly timeZone: TimeZoneMistake<Member<Given, 'timeZone'>>;
  readonly retry: RetryMistake<Member<Given, 'retry'>>;
  readonly concurrency: In<
    Member<Given, 'concurrency'>,
    { readonly key: KeyMistake<Member<Member<Given, 'concurrency'>, 'key'>, Data> }
  >;
  readonly rate: In<
    Member<Given, 'rate'>,
    {
      readonly key: KeyMistake<Member<Member<Given, 'rate'>, 'key'>, Data>;
      readonly per: DurationMistake<Member<Member<Given, 'rate'>, 'per'>>;
    }
  >;
  readonly timeout: EitherMistake<
    Member<Given, 'timeout'>,
    DurationMistake<Member<Given, 'timeout'>>,
    Durations<Member<Given, 'timeout'>, 'after' | 'grace' | 'deadline'>
  >;
  readonly startWithin: DurationMistake<Member<Given, 'startWithin'>>;
  readonly mustSucceedWithin: DurationMistake<Member<Given, 'mustSucceedWithin'>>;
  readonly jitter: DurationMistake<Member<Given, 'jitter'>>;
  readonly catchUp: Durations<Member<Given, 'catchUp'>, 'window' | 'pace'>;
  readonly prefers: EitherMistake<
    Member<Given, 'prefers'>,
    never,
    Durations<Member<Given, 'prefers'>, 'fallbackAfter'>
  >;
}

/** Mistaken fields, each with its message as its type. `unknown` if there are none. `Data`: the type of the job's data. */
export type FieldMistakes<Given, Data> = In<Given, Messages<Given, Data>>;
