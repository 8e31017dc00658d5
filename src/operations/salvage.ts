import type { z } from 'zod';
import { expectedBy } from '../base/expected-by';
import { beginning } from '../domain/recorded-input';

/*
 * Makes lists robust against unusual rows, such as rows that another program wrote. Replaces each field that does not match the output schema with an
 * empty value, and gives the reason in the row's `unreadable`. All other rows stay visible.
 */

const MAX_REASON = 300;

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
}

const definitionOf = (schema: z.ZodType) => (schema as unknown as { readonly def: Definition }).def;

/** Returns the output with mismatching parts replaced by empty values. Throws the schema's error if the output still does not match. */
export function salvage(schema: z.ZodType, output: unknown): unknown {
  const parsed = schema.safeParse(output);
  if (parsed.success) return parsed.data;
  return schema.parse(saved(schema, output, []));
}

/** Returns the value with mismatching parts replaced. Adds their problems to `problems`, which belongs to the enclosing row. */
function saved(schema: z.ZodType, value: unknown, problems: string[]): unknown {
  const parsed = schema.safeParse(value, { error: (issue) => `expected ${expectedBy(issue)}` });
  if (parsed.success) return value;
  const { type, shape, element, innerType } = definitionOf(schema);
  if (type === 'array' && element !== undefined && Array.isArray(value))
    return value.map((each) => saved(element, each, problems));
  if (type === 'object' && shape !== undefined && typeof value === 'object' && value !== null)
    return savedObject(shape, value as Readonly<Record<string, unknown>>, problems);
  if (innerType !== undefined && value !== null && value !== undefined && definitionOf(innerType).type !== 'string')
    return saved(innerType, value, problems);
  problems.push(`${parsed.error.issues[0]?.message}, found ${textOf(value)}`);
  return emptyValueOf(schema);
}

function savedObject(
  shape: Readonly<Record<string, z.ZodType>>,
  value: Readonly<Record<string, unknown>>,
  problems: string[],
): unknown {
  const isRow = 'unreadable' in shape;
  const own: string[] = isRow ? [] : problems;
  const fields = Object.entries(shape).map(([name, schema]) => {
    const before = own.length;
    const field = saved(schema, value[name], own);
    for (let index = before; index < own.length; index++) own[index] = `${name}: ${own[index]}`;
    return [name, field] as const;
  });
  const row = Object.fromEntries(fields.filter(([, field]) => field !== undefined));
  if (!isRow || own.length === 0) return row;
  return { ...row, unreadable: beginning([value.unreadable, ...own].filter(Boolean).join('; '), MAX_REASON) };
}

function textOf(value: unknown): string {
  return beginning(JSON.stringify(value) ?? String(value), 60);
}

const EMPTY = [null, undefined, '', '1970-01-01T00:00:00.000Z', 0, 1, false, [], {}] as const;

/** Returns an empty value that the schema accepts, such as null, '' or 0. */
function emptyValueOf(schema: z.ZodType): unknown {
  const { shape, entries } = definitionOf(schema);
  const candidates = [...EMPTY, ...Object.values(entries ?? {})];
  const found = candidates.findIndex((each) => schema.safeParse(each).success);
  if (found >= 0) return candidates[found];
  return Object.fromEntries(Object.entries(shape ?? {}).map(([name, each]) => [name, emptyValueOf(each)]));
}
