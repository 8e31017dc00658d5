import { parseKey } from '../domain/keys';

/** The field that holds the group of a field's name: `group` of `name`, `jobGroup` of `job`. */
export function groupFieldOf(field: string): string {
  return field === 'name' ? 'group' : `${field}Group`;
}

/**
 * Returns the input with `group/name` split into two fields if it came in one. A name given with its group stays whole, with its slashes. `fields`
 * names the input's fields; fields without a group stay unchanged.
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
