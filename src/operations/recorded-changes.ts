import { maskValue } from '../base/secrets';
import { formatKey, type JobKey, type TriggerKey } from '../domain/keys';
import { sameData } from '../domain/same-data';

/* Changes as the action log records them. */

/** Maximum number of keys that an entry names. */
const MAX_KEYS = 20;

type Definition = Readonly<Record<string, unknown>>;

/** A changed field. Secrets are masked. */
interface FieldChange {
  /** Name of the field. `data.to` is a key of job data. */
  readonly field: string;
  /** Value before. Absent: the field had none. */
  readonly before?: unknown;
  /** Value after. Absent: the field has none any more. */
  readonly after?: unknown;
}

/** Returns the changes of an edit by field, and those of job data by key. */
export function fieldChanges(before: Definition, after: Definition, path = ''): readonly FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !sameData(before[name], after[name]))
    .flatMap((name) => {
      if (path === '' && name === 'data') return fieldChanges(Object(before.data), Object(after.data), 'data.');
      return [{ field: `${path}${name}`, ...shown('before', before, name), ...shown('after', after, name) }];
    });
}

/** Masks the value under its own name, because secrets are recognized by name. */
function shown(as: 'before' | 'after', definition: Definition, name: string): object {
  if (definition[name] === undefined) return {};
  const [value] = Object.values(maskValue({ [name]: definition[name] }) as Definition);
  return { [as]: value };
}

/** Returns the number of keys, and the first of them. */
export function countedKeys(what: string, keys: readonly (JobKey | TriggerKey)[], count = keys.length): Definition {
  return { count, [what]: keys.slice(0, MAX_KEYS).map(formatKey) };
}

/** Returns a selection as a short text: `group=reports state=ERROR`, or `all`. */
export function selectionText(filter: Definition): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${[value].flat().join(',')}`).join(' ') || 'all';
}
