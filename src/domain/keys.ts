/** Group of every key without a group. */
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

/** A key, or its text: `group/name`, or just a name in the group DEFAULT. */
export type JobKeyLike = JobKey | string;
/** A key of a trigger, or its text: `group/name`, or just a name in the group DEFAULT. */
export type TriggerKeyLike = TriggerKey | string;

/** Returns the key of a job, from a name and its group, or from the text `group/name`. */
export function jobKey(name: string, group?: string): JobKey {
  return group === undefined ? parseKey(name) : { group, name };
}

/** Returns the key of a trigger, from a name and its group, or from the text `group/name`. */
export function triggerKey(name: string, group?: string): TriggerKey {
  return group === undefined ? parseKey(name) : { group, name };
}

/**
 * Parses `group/name`. A text without a slash is a name in `defaultGroup`. The first slash separates: a name may contain further ones, and
 * a group with a slash cannot be written as text.
 */
export function parseKey(text: string, defaultGroup: string = DEFAULT_GROUP): JobKey & TriggerKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { group: defaultGroup, name: text } : { group: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Returns a unique text for a key, for maps. The API refuses U+0000 in names, so that no two keys collide. */
export function keyText(key: JobKey | TriggerKey): string {
  return `${key.group}\u0000${key.name}`;
}

/** Formats a key as `group/name`, which `parseKey` reads. */
export function formatKey(key: JobKey | TriggerKey): string {
  return `${key.group}/${key.name}`;
}

/** Returns the text from which random values of a trigger are drawn. It must never change, or stored triggers would move. */
export function drawKey(key: JobKey | TriggerKey): string {
  return `${key.group}.${key.name}`;
}

/** True if the text of a key, `group/name`, contains `part`. Case-insensitive. */
export function keyContains(key: JobKey | TriggerKey, part: string): boolean {
  return formatKey(key).toLowerCase().includes(part.toLowerCase());
}

export function sameKey(a: JobKey | TriggerKey, b: JobKey | TriggerKey): boolean {
  return a.name === b.name && a.group === b.group;
}

/** Compares by group, then by name, in code-point order. The order is the same on every store. */
export function compareKeys(a: JobKey | TriggerKey, b: JobKey | TriggerKey): number {
  return compareTexts(a.group, b.group) || compareTexts(a.name, b.name);
}

/** Compares by code points, as databases compare UTF-8. `<` compares UTF-16 units, and sorts characters beyond U+FFFF before U+E000. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const [unitOfA, unitOfB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitOfA !== unitOfB) return rank(unitOfA) - rank(unitOfB);
  }
  return a.length - b.length;
}

/** Maps a UTF-16 unit to its order among code points, where surrogates come last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Returns the groups of the keys without duplicates, in code-point order. */
export function groupsOf(keys: readonly (JobKey | TriggerKey)[]): readonly string[] {
  return [...new Set(keys.map(({ group }) => group))].sort(compareTexts);
}

/** Returns the first item of each key, in order. */
export function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const seen = new Set<string>();
  return items.filter((item) => {
    const { size } = seen;
    return seen.add(keyOf(item)).size > size;
  });
}

/** Returns the keys without duplicates. */
export function distinctKeys<Key extends JobKey | TriggerKey>(keys: readonly Key[]): readonly Key[] {
  return firstOfEach(keys, keyText);
}

/** Selects groups by their name. */
export interface GroupMatcher {
  /** Comparison of `value` with the name of a group. */
  readonly operator: 'equals' | 'startsWith' | 'endsWith' | 'contains' | 'any';
  /** Text to compare with; empty for `any`. */
  readonly value: string;
}

/** Creates group matchers, with Quartz's names. */
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
