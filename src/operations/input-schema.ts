import { z } from 'zod';

/** Keywords of JSON Schema that are read from an operation's input schema. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly allOf?: readonly FieldSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface InputSchema {
  readonly fields: ReadonlyMap<string, FieldSchema>;
  readonly required: ReadonlySet<string>;
}

/** Schemas that were already converted: a conversion takes milliseconds. */
const converted = new WeakMap<z.ZodObject, InputSchema>();

/** Returns the fields of an operation's input before defaults are applied. */
export function inputSchemaOf(input: z.ZodObject): InputSchema {
  const known = converted.get(input);
  if (known !== undefined) return known;
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const schema: InputSchema = {
    fields: new Map(Object.entries(properties as Readonly<Record<string, FieldSchema>>)),
    required: new Set(required),
  };
  converted.set(input, schema);
  return schema;
}
