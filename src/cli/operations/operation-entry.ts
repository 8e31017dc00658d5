import type { z } from 'zod';
import { type FieldSchema, inputSchemaOf } from '../../operations/input-schema';
import type { Operation } from '../../operations/operation';
import type { OperationName } from '../../operations/operations';
import { groupFieldOf } from '../../operations/split-keys';

export interface OperationEntry {
  readonly name: OperationName;
  readonly operation: Operation;
  readonly fields: readonly InputField[];
  readonly isPaged: boolean;
  /** True if the command accepts `--file`, because its input is structured. */
  readonly takesFile: boolean;
  /** True if the operation changes all objects that match. Its command is a dry run without `--yes`. */
  readonly isBulk: boolean;
}

/** Input field of bulk operations. The command sets it to false with `--yes`, otherwise to true. */
const DRY_RUN = 'dryRun';

export function entryOf(name: OperationName, operation: Operation): OperationEntry {
  const { textField } = operation.command;
  const fields = fieldsOf(operation.input).filter(({ name }) => name !== textField && name !== DRY_RUN);
  return {
    name,
    operation,
    fields,
    isPaged: fields.some((field) => field.name === 'after') && 'limit' in operation.input.shape,
    takesFile: operation.effect !== 'reads' && fields.some(({ kind }) => kind === 'yaml'),
    isBulk: DRY_RUN in operation.input.shape,
  };
}

/** Returns the field with the group for a name field. Undefined if it is not a name or has no group field. */
export function groupFieldIn(fields: readonly InputField[], { name }: InputField): InputField | undefined {
  const group = groupFieldOf(name);
  return fields.find((each) => each.name === group);
}

type FieldKind = 'flag' | 'number' | 'time' | 'text' | 'key' | 'yaml';

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

function fieldsOf(input: z.ZodObject): readonly InputField[] {
  const { fields, required } = inputSchemaOf(input);
  return [...fields].map(([name, field]) => {
    const given = withoutNull(field);
    const one = given.items === undefined ? given : withoutNull(given.items);
    return {
      name,
      word: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      kind: kindOf(one),
      isList: given.items !== undefined && kindOf(one) !== 'yaml',
      isRequired: required.has(name),
      byDefault: field.default,
      choices: one.enum?.every((each) => typeof each === 'string') ? (one.enum as readonly string[]) : null,
      description: field.description ?? '',
    };
  });
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
