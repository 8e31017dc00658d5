import { maskValue } from '../base/secrets';
import { formatKey, type JobKey, type TriggerKey } from '../domain/keys';
import { sameData } from '../domain/same-data';

/* Forms in which the action log records changes. */

const MAX_KEYS = 20;

type Definition = Readonly<Record<string, unknown>>;

interface FieldChange {
  /** Name of the field, such as `description`, or `data.to` for the key `to` of job data. */
  readonly field: string;
  /** Value before the change. Absent if the field was not set. */
  readonly before?: unknown;
  /** Value after the change. Absent if the field is no longer set. */
  readonly after?: unknown;
}

/** Returns the changes between two definitions: one per changed field, and for job data one per changed key. */
export function fieldChanges(before: Definition, after: Definition, path = ''): readonly FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !sameData(before[name], after[name]))
    .flatMap((name) => {
      if (path === '' && name === 'data') return fieldChanges(Object(before.data), Object(after.data), 'data.');
      return [{ field: `${path}${name}`, ...shown('before', before, name), ...shown('after', after, name) }];
    });
}

/** Returns the masked value of a field. Masking depends on the field's name, because secrets are recognized by name. */
function shown(as: 'before' | 'after', definition: Definition, name: string): object {
  if (definition[name] === undefined) return {};
  const [value] = Object.values(maskValue({ [name]: definition[name] }) as Definition);
  return { [as]: value };
}

export function countedKeys(what: string, keys: readonly (JobKey | TriggerKey)[], count = keys.length): Definition {
  return { count, [what]: keys.slice(0, MAX_KEYS).map(formatKey) };
}

/** Formats a filter as a short text, such as `group=reports state=ERROR`, or `all` if it is empty. */
export function selectionText(filter: Definition): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${[value].flat().join(',')}`).join(' ') || 'all';
}
