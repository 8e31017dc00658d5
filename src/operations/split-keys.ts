import { parseKey } from '../domain/keys';

/** The field that holds the group of a field's name: `group` of `name`, `jobGroup` of `job`. */
export function groupFieldOf(field: string): string {
  return field === 'name' ? 'group' : `${field}Group`;
}

/**
 * The input with `group/name` in two fields, where it was given in one. A name beside its group is a name alone, with its slashes. `fields`: the
 * names of the fields of the input; those without a group are left alone.
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
