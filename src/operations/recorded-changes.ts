import { maskValue } from '../base/secrets';
import { formatKey, type JobKey, type TriggerKey } from '../domain/keys';
import { sameData } from '../domain/same-data';

/* Changes as the action log records them. */

/** Maximum number of keys that are named. */
const MAX_KEYS = 20;

type Definition = Readonly<Record<string, unknown>>;

/** A field whose value was changed; secrets are masked. */
interface FieldChange {
  /** `data.to`: a key of job data. */
  readonly field: string;
  /** Absent: there was none. */
  readonly before?: unknown;
  /** Absent: there is none any more. */
  readonly after?: unknown;
}

/** Changes of an edit, field by field, and of job data key by key. */
export function fieldChanges(before: Definition, after: Definition, path = ''): readonly FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !sameData(before[name], after[name]))
    .flatMap((name) => {
      if (path === '' && name === 'data') return fieldChanges(Object(before.data), Object(after.data), 'data.');
      return [{ field: `${path}${name}`, ...shown('before', before, name), ...shown('after', after, name) }];
    });
}

/** Masked under its own name: a secret is known by it. */
function shown(as: 'before' | 'after', definition: Definition, name: string): object {
  if (definition[name] === undefined) return {};
  const [value] = Object.values(maskValue({ [name]: definition[name] }) as Definition);
  return { [as]: value };
}

/** Number of keys, and the first of them. */
export function countedKeys(what: string, keys: readonly (JobKey | TriggerKey)[], count = keys.length): Definition {
  return { count, [what]: keys.slice(0, MAX_KEYS).map(formatKey) };
}

/** Selection as a short text: `group=reports state=ERROR`, or `all`. */
export function selectionText(filter: Definition): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${[value].flat().join(',')}`).join(' ') || 'all';
}
