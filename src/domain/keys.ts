/** Group of keys that are given without a group. */
export const DEFAULT_GROUP = 'DEFAULT';

/** Key of a job. */
export interface JobKey {
  /** Group, at most 190 characters. */
  readonly group: string;
  /** Name, at most 190 characters. */
  readonly name: string;
}

/** Key of a trigger. */
export interface TriggerKey {
  /** Group, at most 190 characters. */
  readonly group: string;
  /** Name, at most 190 characters. */
  readonly name: string;
}

/** A job key, or a string: `group/name`, or a name in the group DEFAULT. */
export type JobKeyLike = JobKey | string;
/** A trigger key, or a string: `group/name`, or a name in the group DEFAULT. */
export type TriggerKeyLike = TriggerKey | string;

/** Creates a job key from a name and a group. Without `group`, `name` is parsed as `group/name`, or is a name in the group DEFAULT. */
export function jobKey(name: string, group?: string): JobKey {
  return group === undefined ? parseKey(name) : { group, name };
}

/** Creates a trigger key from a name and a group. Without `group`, `name` is parsed as `group/name`, or is a name in the group DEFAULT. */
export function triggerKey(name: string, group?: string): TriggerKey {
  return group === undefined ? parseKey(name) : { group, name };
}

/** Parses `group/name`, or a name in `defaultGroup`. Splits at the first slash, so a name may contain slashes, but a group may not. */
export function parseKey(text: string, defaultGroup: string = DEFAULT_GROUP): JobKey & TriggerKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { group: defaultGroup, name: text } : { group: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Returns a string that is unique for the key, for use in maps. Keys cannot collide, because the API rejects U+0000 in names and groups. */
export function keyText(key: JobKey | TriggerKey): string {
  return `${key.group}\u0000${key.name}`;
}

/** Formats a key as `group/name`, the form that `parseKey` parses. */
export function formatKey(key: JobKey | TriggerKey): string {
  return `${key.group}/${key.name}`;
}

/** String from which jitter and `H` values are hashed. Its format must never change, because the fire times of stored triggers depend on it. */
export function drawKey(key: JobKey | TriggerKey): string {
  return `${key.group}.${key.name}`;
}

/** True if the key, formatted as `group/name`, contains `part`. Case-insensitive. */
export function keyContains(key: JobKey | TriggerKey, part: string): boolean {
  return formatKey(key).toLowerCase().includes(part.toLowerCase());
}

export function sameKey(a: JobKey | TriggerKey, b: JobKey | TriggerKey): boolean {
  return a.name === b.name && a.group === b.group;
}

/** Compares by group, then by name, in code-point order. All stores use this order. */
export function compareKeys(a: JobKey | TriggerKey, b: JobKey | TriggerKey): number {
  return compareTexts(a.group, b.group) || compareTexts(a.name, b.name);
}

/** Compares by code points, like a UTF-8 database. `<` compares UTF-16 code units, which sorts characters above U+FFFF before U+E000. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const [unitOfA, unitOfB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitOfA !== unitOfB) return rank(unitOfA) - rank(unitOfB);
  }
  return a.length - b.length;
}

/** Maps a UTF-16 code unit to its rank in code-point order. Surrogates rank last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Returns the distinct groups of the keys, in code-point order. */
export function groupsOf(keys: readonly (JobKey | TriggerKey)[]): readonly string[] {
  return [...new Set(keys.map(({ group }) => group))].sort(compareTexts);
}

/** Returns the items without duplicates: of all items with the same key, only the first. */
export function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const seen = new Set<string>();
  return items.filter((item) => {
    const { size } = seen;
    return seen.add(keyOf(item)).size > size;
  });
}

export function distinctKeys<Key extends JobKey | TriggerKey>(keys: readonly Key[]): readonly Key[] {
  return firstOfEach(keys, keyText);
}

/** Selects job or trigger groups by name. */
export interface GroupMatcher {
  /** Operator that compares the group name with `value`. */
  readonly operator: 'equals' | 'startsWith' | 'endsWith' | 'contains' | 'any';
  /** Value to compare with; empty for `any`. */
  readonly value: string;
}

/** Factory of group matchers, with the names that Quartz uses. */
export const GroupMatcher = {
  anyGroup: (): GroupMatcher => ({ operator: 'any', value: '' }),
  groupEquals: (value: string): GroupMatcher => ({ operator: 'equals', value }),
  groupStartsWith: (value: string): GroupMatcher => ({ operator: 'startsWith', value }),
  groupEndsWith: (value: string): GroupMatcher => ({ operator: 'endsWith', value }),
  groupContains: (value: string): GroupMatcher => ({ operator: 'contains', value }),
} as const;

export function matchesGroup(matcher: GroupMatcher, group: string): boolean {
  switch (matcher.operator) {
    case 'any':
      return true;
    case 'equals':
      return group === matcher.value;
    case 'startsWith':
      return group.startsWith(matcher.value);
    case 'endsWith':
      return group.endsWith(matcher.value);
    case 'contains':
      return group.includes(matcher.value);
  }
}
