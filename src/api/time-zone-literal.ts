import type { IsLiteral } from './literal';
import type { TimeZoneName } from './time-zone-names';

/** Fixed offsets such as `GMT+8` and `UTC-03:30`. The parser checks the digits. */
type Offset = `${'' | 'gmt' | 'utc'}${'+' | '-'}${string}`;

/** Message for a literal that names no time zone. `never` for a time zone, and for a value that is not a string literal. */
export type TimeZoneMistake<Name> = Name extends string
  ? IsLiteral<Name> extends true
    ? Lowercase<Name> extends Lowercase<TimeZoneName> | Offset
      ? never
      : `Expected a time zone such as 'Europe/Berlin', found '${Name}'`
    : never
  : never;
