/*
 * Compile-time checks of durations and retry policies that are string literals. A mistake is a message, which the compiler shows as the expected type.
 */
import type { Digit, IsLiteral } from './literal';

type Unit = 'ms' | 's' | 'm' | 'h' | 'd';

/** Text after a number. The number may have a decimal fraction. */
type AfterNumber<Text extends string> =
  AfterDigits<Text> extends `.${infer Fraction}`
    ? Fraction extends `${Digit}${string}`
      ? AfterDigits<Fraction>
      : '.'
    : AfterDigits<Text>;

type AfterDigits<Text extends string> = Text extends `${Digit}${infer Rest}` ? AfterDigits<Rest> : Text;

/** True for one or more numbers with units, such as `1h30m`. */
type IsShort<Text extends string> = Text extends `${Digit}${string}`
  ? AfterNumber<Text> extends `ms${infer Rest}`
    ? IsEnd<Rest>
    : AfterNumber<Text> extends `${Unit}${infer Rest}`
      ? IsEnd<Rest>
      : false
  : false;

type IsEnd<Rest extends string> = Rest extends '' ? true : IsShort<Rest>;

/** True for a text that may be an ISO-8601 duration without its `P`, such as `1DT12H`. The parser checks the order of the units. */
type IsIso<Text extends string> = Text extends `T${infer Rest}`
  ? IsIso<Rest>
  : Text extends `${'-' | '+'}${infer Rest}`
    ? IsIso<Rest>
    : Text extends `${Digit}${string}`
      ? AfterIsoNumber<Text> extends `${'Y' | 'M' | 'W' | 'D' | 'H' | 'S'}${infer Rest}`
        ? Rest extends ''
          ? true
          : IsIso<Rest>
        : false
      : false;

type AfterIsoNumber<Text extends string> =
  AfterDigits<Text> extends `${'.' | ','}${infer Fraction}` ? AfterDigits<Fraction> : AfterDigits<Text>;

type IsDuration<Text extends string> = Text extends `${'' | '-' | '+'}P${infer Iso}` ? IsIso<Iso> : IsShort<Text>;

/** Message for a literal that is not a duration. `never` for a duration, and for a value that is not a string literal. */
export type DurationMistake<Value> = Value extends string
  ? IsLiteral<Value> extends true
    ? IsDuration<Value> extends true
      ? never
      : `Expected a duration such as '5m', '1h30m' or 'PT5M', found '${Value}'`
    : never
  : never;

type IsRepeated<Text extends string> = Text extends `R${infer Rest}`
  ? Rest extends `${Digit}${string}`
    ? AfterDigits<Rest> extends `/P${infer Iso}`
      ? IsIso<Iso>
      : false
    : false
  : false;

/** Message for a literal that is not a retry policy such as `R5/PT5M`. `never` for any other value. */
export type RepeatedMistake<Value> = Value extends string
  ? IsLiteral<Value> extends true
    ? IsRepeated<Value> extends true
      ? never
      : `Expected a retry policy such as 'R5/PT5M', found '${Value}'`
    : never
  : never;
