import { HIDDEN, isNamedSecret, isSecretName, isSecretPair, maskText } from '../base/secrets';
import type { JobData, JsonValue } from '../domain/job-data';
import { invalidField } from './problem';

/** Matches masks written by `maskText` that are unlikely to be ordinary text. */
const MASKED = /:\/\/\*\*\*@|[=:]\s{0,3}["']?\*\*\*|(?:Bearer|Basic) \*\*\*/i;

/** Replaces masked values in the given data with the stored secrets. Throws INVALID_INPUT for a masked value without a stored secret. */
export function withSecrets(given: JobData, stored: JobData, path = 'data'): JobData {
  const names = new Map(Object.keys(stored).map((name) => [maskText(name), name]));
  return Object.fromEntries(
    Object.entries(given).map(([shown, value]) => {
      const name = Object.hasOwn(stored, shown) ? shown : (names.get(shown) ?? shown);
      const isSecret = isSecretName(name) || isNamedSecret(given, name);
      const before = Object.hasOwn(stored, name) ? stored[name] : undefined;
      return [name, restored({ value, isSecret }, before, path === '' ? name : `${path}.${name}`)];
    }),
  );
}

interface Given {
  readonly value: JsonValue;
  readonly isSecret: boolean;
}

function restored({ value, isSecret }: Given, stored: JsonValue | undefined, path: string): JsonValue {
  if (typeof value === 'string') {
    if (isSecret ? value !== HIDDEN : !MASKED.test(value)) return value;
    if (stored !== undefined && (isSecret || value === stored)) return stored;
    if (typeof stored === 'string' && maskText(stored) === value) return stored;
    throw invalidField(
      path,
      `expected the secret itself, found its mask (${HIDDEN}), but no secret is stored here; enter the value`,
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return restoredList(value, Array.isArray(stored) ? stored : [], path);
  const map = typeof stored === 'object' && stored !== null && !Array.isArray(stored) ? (stored as JobData) : {};
  return withSecrets(value as JobData, map, path);
}

function restoredList(list: readonly JsonValue[], stored: readonly JsonValue[], path: string): JsonValue {
  if (isSecretPair(list)) {
    const [name, value] = list as [string, JsonValue];
    return [name, restored({ value, isSecret: true }, stored[1], `${path}.1`)];
  }
  return list.map((value, index) =>
    restored({ value, isSecret: false }, counterpart(value, index, stored), `${path}.${index}`),
  );
}

/** Returns the stored item that corresponds to a list item: that of the same name, or else that at the same index. */
function counterpart(value: JsonValue, index: number, stored: readonly JsonValue[]): JsonValue | undefined {
  const name = nameOf(value);
  const named = name === undefined ? undefined : stored.find((each) => nameOf(each) === name);
  return named ?? stored[index];
}

function nameOf(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, key } = value as { readonly name?: unknown; readonly key?: unknown };
  const found = Array.isArray(value) ? value[0] : (name ?? key);
  return typeof found === 'string' ? found : undefined;
}
