import { z } from 'zod';

/** What a field's text on a command line is read as. */
export type FieldKind = 'flag' | 'number' | 'time' | 'text' | 'key' | 'yaml';

/** A field of an operation's input, as a command line has it. */
export interface InputField {
  /** `jobGroup`. */
  readonly name: string;
  /** `job-group`, without the dashes of an option. */
  readonly word: string;
  readonly kind: FieldKind;
  /** May be given several times. */
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** Undefined: there is none. */
  readonly byDefault: unknown;
  /** The only texts that are possible; null: any. */
  readonly choices: readonly string[] | null;
  readonly description: string;
}

/** The part of JSON Schema that is looked at. */
interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The fields of an operation's input, in their order. */
export function fieldsOf(input: z.ZodObject): readonly InputField[] {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const required = schema.required ?? [];
  return Object.entries((schema.properties ?? {}) as Record<string, FieldSchema>).map(([name, field]) => {
    const given = withoutNull(field);
    const one = given.items === undefined ? given : withoutNull(given.items);
    return {
      name,
      word: wordOf(name),
      kind: kindOf(one),
      isList: given.items !== undefined && kindOf(one) !== 'yaml',
      isRequired: required.includes(name),
      byDefault: field.default,
      choices: one.enum?.every((each) => typeof each === 'string') ? (one.enum as readonly string[]) : null,
      description: field.description ?? '',
    };
  });
}

/** `job-group` of `jobGroup`. */
export function wordOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What can be said besides null. */
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
