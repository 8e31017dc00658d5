/*
 * Compile-time checks of the keys of limits, such as `customer-{data.id}`: placeholders must name fields that the data has.
 */
import type { IsAny, IsLiteral } from './literal';

/** Message for the first placeholder without a value. `never` if there is none, or if the compiler does not know the text or the data. */
export type KeyMistake<Key, Data> = Key extends string
  ? IsLiteral<Key> extends true
    ? FirstMistake<Key, Data>
    : never
  : never;

type FirstMistake<Key extends string, Data> = Key extends `${string}{${infer Path}}${infer Rest}`
  ? PathMistake<Path, Data> extends infer Mistake extends string
    ? [Mistake] extends [never]
      ? FirstMistake<Rest, Data>
      : Mistake
    : never
  : never;

type PathMistake<Path extends string, Data> = Path extends `data.${infer Field}`
  ? HasField<Data, Field> extends true
    ? never
    : `The data has no field for the placeholder '{${Path}}'`
  : Path extends `${'job' | 'trigger'}.${'name' | 'group'}`
    ? never
    : `Expected {data.…}, {job.name}, {job.group}, {trigger.name} or {trigger.group}, found '{${Path}}'`;

/** True if the data may have the field. Only the first step of a path is checked. */
type HasField<Data, Field extends string> =
  IsAny<Data> extends true
    ? true
    : (Field extends `${infer First}.${string}` ? First : Field) extends `${KeysOf<Data> & (string | number)}`
      ? true
      : false;

/** Keys of an object type, or of any member of a union. */
type KeysOf<Data> = Data extends unknown ? keyof Data : never;
