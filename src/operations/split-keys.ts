import { parseKey } from '../domain/keys';

/** Returns the name of the field for the group of a name: `group` for `name`, `jobGroup` for `job`. */
export function groupFieldOf(field: string): string {
  return field === 'name' ? 'group' : `${field}Group`;
}

/**
 * Splits a `group/name` string in the input into two fields. Splits a name only if `fields`, the names of the valid input fields, include the field
 * for its group. Does not split a name that is given together with its group, because such a name may contain slashes.
 */
export function splitKeys(fields: readonly string[], input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const split: Record<string, unknown> = { ...input };
  for (const field of fields) {
    const [text, groupField] = [split[field], groupFieldOf(field)];
    if (!fields.includes(groupField) || typeof text !== 'string' || !text.includes('/')) continue;
    if (split[groupField] !== undefined) continue;
    const { group, name } = parseKey(text);
    split[groupField] = group;
    split[field] = name;
  }
  return split;
}
