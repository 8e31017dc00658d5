/*
 * Compile-time checks of cron expressions that are string literals: the number of fields, and characters and numbers that a field does not allow.
 * The parser reports all other errors at run time.
 */

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
/** 0 to 59, with or without a leading zero. */
type UpTo59 = Digit | `${'0' | '1' | '2' | '3' | '4' | '5'}${Digit}`;
type UpTo23 = Digit | `${'0' | '1'}${Digit}` | '20' | '21' | '22' | '23';
type UpTo31 = Exclude<Digit, '0'> | `0${Exclude<Digit, '0'>}` | `${'1' | '2'}${Digit}` | '30' | '31';
type UpTo12 = Exclude<Digit, '0'> | `0${Exclude<Digit, '0'>}` | '10' | '11' | '12';
type UpTo7 = '1' | '2' | '3' | '4' | '5' | '6' | '7';
type Month = 'JAN' | 'FEB' | 'MAR' | 'APR' | 'MAY' | 'JUN' | 'JUL' | 'AUG' | 'SEP' | 'OCT' | 'NOV' | 'DEC';
type Day = 'SUN' | 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT';

/** Allowed values of each field, in order: second, minute, hour, day of month, month, day of week, year. Years are checked by the parser only. */
type FieldValues = [UpTo59, UpTo59, UpTo23, UpTo31, UpTo12 | Month, UpTo7 | Day, string];

type Words<Text extends string> = Text extends `${infer Head} ${infer Rest}`
  ? Head extends ''
    ? Words<Rest>
    : [Head, ...Words<Rest>]
  : Text extends ''
    ? []
    : [Text];

/** True if a list item is a valid value, range or step. Items with `L`, `W`, `#`, `H`, `*` or `?` are checked by the parser only. */
type IsItem<
  Item extends string,
  Value extends string,
> = Item extends `${string}${'L' | 'W' | '#' | 'H' | '*' | '?'}${string}`
  ? true
  : Item extends `${infer Range}/${string}`
    ? IsItem<Range, Value>
    : Item extends `${infer From}-${infer To}`
      ? [From, To] extends [Value, Value]
        ? true
        : false
      : Item extends Value
        ? true
        : false;

type IsField<Field extends string, Value extends string> = Field extends `${infer Item},${infer Rest}`
  ? IsItem<Item, Value> extends true
    ? IsField<Rest, Value>
    : false
  : IsItem<Field, Value>;

type FirstWrong<Fields extends readonly string[], Values extends readonly string[]> = Fields extends readonly [
  infer Field extends string,
  ...infer Rest extends readonly string[],
]
  ? Values extends readonly [infer Value extends string, ...infer More extends readonly string[]]
    ? IsField<Uppercase<Field>, Value> extends true
      ? FirstWrong<Rest, More>
      : Field
    : never
  : never;

/** The string itself if it is valid, otherwise a message that describes the first error. A string that is not a literal is accepted. */
export type CronLiteral<Text extends string> = string extends Text
  ? Text
  : Words<Text> extends infer Fields extends readonly string[]
    ? Fields['length'] extends 6 | 7
      ? [FirstWrong<Fields, FieldValues>] extends [never]
        ? Text
        : `Expected a value that this field may hold, found '${FirstWrong<Fields, FieldValues>}'`
      : `Expected 6 or 7 fields, seconds first, found ${Fields['length'] & number}`
    : never;
