/*
 * Compile-time checks of cron expressions that are string literals: the number of fields, and values that a field does not allow. A mistake is a
 * message, which the compiler shows as the expected type. The parser reports all other errors at run time.
 */
import type { Digit, IsLiteral } from './literal';

type Positive = Exclude<Digit, '0'>;
type UpTo59 = Digit | `${'1' | '2' | '3' | '4' | '5'}${Digit}`;
type UpTo23 = Digit | `1${Digit}` | '20' | '21' | '22' | '23';
type UpTo31 = Positive | `${'1' | '2'}${Digit}` | '30' | '31';
type UpTo12 = Positive | '10' | '11' | '12';
type UpTo7 = '1' | '2' | '3' | '4' | '5' | '6' | '7';
type Month = 'JAN' | 'FEB' | 'MAR' | 'APR' | 'MAY' | 'JUN' | 'JUL' | 'AUG' | 'SEP' | 'OCT' | 'NOV' | 'DEC';
type Day = 'SUN' | 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT';

/** Allowed values of each field, and the words that describe them. Years are checked by the parser only. */
type Field<Values extends string, Words extends string> = readonly [Values, Words];
type Second = Field<UpTo59, 'seconds from 0 to 59'>;
type Minute = Field<UpTo59, 'minutes from 0 to 59'>;
type Hour = Field<UpTo23, 'hours from 0 to 23'>;
type DayOfMonth = Field<UpTo31, 'days of the month from 1 to 31'>;
type MonthOfYear = Field<UpTo12 | Month, 'months from 1 to 12 or JAN to DEC'>;
type DayOfWeek = Field<UpTo7 | Day, 'days of the week from 1 (Sunday) to 7 or SUN to SAT'>;
type UnixDayOfWeek = Field<'0' | UpTo7 | Day, 'days of the week from 0 (Sunday) to 7 or SUN to SAT'>;

type QuartzFields = [Second, Minute, Hour, DayOfMonth, MonthOfYear, DayOfWeek, Field<string, 'years'>];
type UnixFields = [Minute, Hour, DayOfMonth, MonthOfYear, UnixDayOfWeek];

/** Words of a text. Here and below, recursion is in tail position, so that the compiler accepts expressions of any length. */
type Words<Text extends string, Before extends readonly string[] = []> = Text extends `${infer Head} ${infer Rest}`
  ? Words<Rest, Head extends '' ? Before : [...Before, Head]>
  : Text extends ''
    ? Before
    : [...Before, Text];

/** Item with a value that the field does not allow, or `never`. Items with `L`, `W`, `#`, `H`, `*` or `?` are checked by the parser only. */
type WrongItem<
  Item extends string,
  Values extends string,
> = Item extends `${string}${'L' | 'W' | '#' | 'H' | '*' | '?'}${string}`
  ? never
  : Item extends `${infer Range}/${string}`
    ? WrongRange<Range, Values>
    : WrongRange<Item, Values>;

type WrongRange<Range extends string, Values extends string> =
  WithoutZeros<Range> extends Values | ''
    ? never
    : Range extends `${infer From}-${infer To}`
      ? Exclude<WithoutZeros<From> | WithoutZeros<To>, Values>
      : Range;

type WithoutZeros<Text extends string> = Text extends `0${infer Rest}`
  ? Rest extends `${Digit}${string}`
    ? WithoutZeros<Rest>
    : Text
  : Text;

/** First item of a list with such a value, or `never`. */
type WrongValue<Text extends string, Values extends string> = Text extends `${infer Item},${infer Rest}`
  ? [WrongItem<Item, Values>] extends [never]
    ? WrongValue<Rest, Values>
    : WrongItem<Item, Values>
  : WrongItem<Text, Values>;

type FieldMistake<Text extends string, Kind extends Field<string, string>> = [
  WrongValue<Uppercase<Text>, Kind[0]>,
] extends [never]
  ? never
  : `Expected ${Kind[1]}, found '${Text}'`;

type FirstMistake<
  Texts extends readonly string[],
  Kinds extends readonly Field<string, string>[],
> = Texts extends readonly [infer Text extends string, ...infer Rest extends readonly string[]]
  ? Kinds extends readonly [
      infer Kind extends Field<string, string>,
      ...infer More extends readonly Field<string, string>[],
    ]
    ? [FieldMistake<Text, Kind>] extends [never]
      ? FirstMistake<Rest, More>
      : FieldMistake<Text, Kind>
    : never
  : never;

/** `1-5` means Monday to Friday in a crontab only, so the names of the days are required. Any other numbers are accepted. */
type DayNumberMistake<Texts extends readonly string[]> = Texts[5] extends '1-5'
  ? "Quartz counts from 1 = Sunday, so '1-5' is SUN-THU: write SUN-THU, or MON-FRI for the days of crontab"
  : never;

type DayFieldsMistake<Texts extends readonly string[]> = [Texts[3], Texts[5]] extends ['?', '?']
  ? "Expected '?' in only one of day-of-month and day-of-week"
  : '?' extends Texts[3] | Texts[5]
    ? never
    : "Expected '?' in day-of-month or day-of-week, as in '0 0 6 * * ?' and '0 0 6 ? * MON-FRI'";

type QuartzMistake<Text extends string, Texts extends readonly string[]> = Texts['length'] extends 6 | 7
  ? [FirstMistake<Texts, QuartzFields>] extends [never]
    ? [DayFieldsMistake<Texts>] extends [never]
      ? DayNumberMistake<Texts>
      : DayFieldsMistake<Texts>
    : FirstMistake<Texts, QuartzFields>
  : `Expected 6 or 7 fields, seconds first, or dialect: 'unix'; found ${Texts['length'] & number} fields in '${Text}'`;

type UnixMistake<Text extends string, Texts extends readonly string[]> = Texts extends readonly [`@${string}`]
  ? never
  : Texts['length'] extends 5
    ? FirstMistake<Texts, UnixFields>
    : Texts['length'] extends 6
      ? FirstMistake<Texts, [Second, ...UnixFields]>
      : `Expected 5 fields, or 6 with seconds first, found ${Texts['length'] & number} fields in '${Text}'`;

/**
 * Message for the first mistake in an expression. `never` for a valid expression, for one with tabs, and for a value that is not a string literal.
 */
export type CronMistake<Text, Dialect = 'quartz'> = Text extends string
  ? IsLiteral<Text> extends true
    ? Text extends `${string}\t${string}`
      ? never
      : Words<Text> extends infer Texts extends readonly string[]
        ? Dialect extends 'unix'
          ? UnixMistake<Text, Texts>
          : QuartzMistake<Text, Texts>
        : never
    : never
  : never;
