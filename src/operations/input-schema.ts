import { z } from 'zod';

/** Keywords of JSON Schema that readers of an operation's input use. */
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

/** Fields of an input as JSON Schema. */
export interface InputSchema {
  /** By name, in the order of the input. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Names of the fields without a default value that must be given. */
  readonly required: ReadonlySet<string>;
}

/** Returns the fields of an operation's input, as a caller may give them. */
export function inputSchemaOf(input: z.ZodObject): InputSchema {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return {
    fields: new Map(Object.entries(properties as Readonly<Record<string, FieldSchema>>)),
    required: new Set(required),
  };
}
