import type { z } from 'zod';
import { type FieldSchema, inputSchemaOf } from '../operations/input-schema';

type JsonType = 'number' | 'boolean' | 'array' | 'object' | 'string' | 'null';

/** Types of an operation's input fields. Converts strings from URLs to values of these types. */
export class FieldTypes {
  readonly #input: z.ZodObject;

  constructor(input: z.ZodObject) {
    this.#input = input;
  }

  /** Read on the first request: a console starts faster without the schemas of all operations. */
  get #fields(): ReadonlyMap<string, FieldSchema> {
    return inputSchemaOf(this.#input).fields;
  }

  get names(): readonly string[] {
    return [...this.#fields.keys()];
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Converts strings to the field's type: a number, boolean, null, list or object. Returns a string that matches none unchanged. */
  read(name: string, texts: readonly string[]): unknown {
    return readAs(this.#fields.get(name), texts);
  }
}

function readAs(schema: FieldSchema | undefined, texts: readonly string[]): unknown {
  const items = schema && itemsOf(schema);
  if (items !== undefined) return texts.map((text) => readOne(items, text));
  const [text = ''] = texts;
  return texts.length === 1 ? readOne(schema, text) : texts;
}

function readOne(schema: FieldSchema | undefined, text: string): unknown {
  const types = typesOf(schema);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.has('null') && text === '' && !types.has('string')) return null;
  if (types.has('object')) return parsed(text);
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the schema of the list items, or undefined if the field cannot be a list. */
function itemsOf(schema: FieldSchema): FieldSchema | undefined {
  if (schema.items !== undefined) return schema.items;
  return [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].map(itemsOf).find((items) => items !== undefined);
}

function typesOf(schema: FieldSchema | undefined): ReadonlySet<JsonType> {
  if (schema === undefined) return new Set();
  const own = schema.type === undefined ? [] : [schema.type].flat();
  const values = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])].map((value) =>
    value === null ? 'null' : typeof value,
  );
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((each) => [...typesOf(each)]);
  return new Set([...own, ...values, ...inner].map((type) => (type === 'integer' ? 'number' : type)) as JsonType[]);
}
