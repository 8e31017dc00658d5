import { parseKey } from '../domain/keys';

/** Returns the name of the field for the group of a name: `group` for `name`, `jobGroup` for `job`. */
export function groupFieldOf(field: string): string {
  return field === 'name' ? 'group' : `${field}Group`;
}

/**
 * Splits `group/name` texts in the input into two fields. `fields` lists the fields that the input may have; a name is split only if its group field
 * is among them. A name given together with its group is not split, because it may contain slashes.
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
