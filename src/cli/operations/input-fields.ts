import type { z } from 'zod';
import { type FieldSchema, inputSchemaOf } from '../../operations/input-schema';

/** Type of an input field, which selects the parser for the text of its option or argument. */
export type FieldKind = 'flag' | 'number' | 'time' | 'text' | 'key' | 'yaml';

export interface InputField {
  readonly name: string;
  /** Name of the option without dashes, such as `job-group`. */
  readonly word: string;
  readonly kind: FieldKind;
  /** True if the option or argument can be repeated. */
  readonly isList: boolean;
  readonly isRequired: boolean;
  readonly byDefault: unknown;
  /** Allowed values, as strings. Null: any string. */
  readonly choices: readonly string[] | null;
  readonly description: string;
}

export function fieldsOf(input: z.ZodObject): readonly InputField[] {
  const { fields, required } = inputSchemaOf(input);
  return [...fields].map(([name, field]) => {
    const given = withoutNull(field);
    const one = given.items === undefined ? given : withoutNull(given.items);
    return {
      name,
      word: wordOf(name),
      kind: kindOf(one),
      isList: given.items !== undefined && kindOf(one) !== 'yaml',
      isRequired: required.has(name),
      byDefault: field.default,
      choices: one.enum?.every((each) => typeof each === 'string') ? (one.enum as readonly string[]) : null,
      description: field.description ?? '',
    };
  });
}

export function wordOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function withoutNull(schema: FieldSchema): FieldSchema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (others?.length === 1) return others[0] as FieldSchema;
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== 'null');
  return { ...schema, type: types.length === 1 ? (types[0] as string) : types };
}

function kindOf({ type, format, enum: values, anyOf }: FieldSchema): FieldKind {
  if (anyOf?.some(({ properties = {} }) => 'name' in properties && 'group' in properties)) return 'key';
  if (values !== undefined) return 'text';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type !== 'string') return 'yaml';
  return format === 'date-time' ? 'time' : 'text';
}
