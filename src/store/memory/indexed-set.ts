import { type GroupMatcher, matchesGroup } from '../../domain/keys';

/** A member of the set. Its field `Slot` stores its index in the set. */
type Member<Slot extends string> = { [Field in Slot]: number };

/** Unordered set whose members store their own index: adding and deleting compute no hash. A member may be in at most one set per slot. */
export class IndexedSet<Slot extends string, Entry extends Member<Slot>> {
  readonly #slot: Slot;
  readonly #entries: Entry[] = [];

  constructor(slot: Slot) {
    this.#slot = slot;
  }

  get size(): number {
    return this.#entries.length;
  }

  add(entry: Entry): void {
    this.#place(entry, this.#entries.length);
  }

  /** Moves the last member to the free index. */
  delete(entry: Entry): void {
    const index = entry[this.#slot];
    const last = this.#entries.pop();
    if (last !== undefined && last !== entry) this.#place(last, index);
  }

  /** Returns a copy, so that the set may change during iteration. */
  toArray(): readonly Entry[] {
    return this.#entries.slice();
  }

  #place(entry: Entry, index: number): void {
    this.#entries[index] = entry;
    (entry as Member<Slot>)[this.#slot] = index;
  }
}

/** Members by group. A group without members does not exist. */
export class GroupIndex<Entry extends { indexInGroup: number }> {
  readonly #groups = new Map<string, IndexedSet<'indexInGroup', Entry>>();

  add(group: string, entry: Entry): void {
    const members = this.#groups.get(group) ?? new IndexedSet('indexInGroup');
    this.#groups.set(group, members);
    members.add(entry);
  }

  delete(group: string, entry: Entry): void {
    const members = this.#groups.get(group);
    members?.delete(entry);
    if (members?.size === 0) this.#groups.delete(group);
  }

  /** Returns the names of the selected groups (default: all), in code-unit order. */
  names(isSelected?: (group: string) => boolean): string[] {
    const names = [...this.#groups.keys()];
    return (isSelected === undefined ? names : names.filter(isSelected)).sort();
  }

  matching(matcher: GroupMatcher): string[] {
    if (matcher.operator === 'equals') return this.#groups.has(matcher.value) ? [matcher.value] : [];
    return this.names((group) => matchesGroup(matcher, group));
  }

  /** Returns a copy, so that the members may change during iteration. */
  members(group: string): readonly Entry[] {
    return this.#groups.get(group)?.toArray() ?? [];
  }

  membersOf(groups: readonly string[]): readonly Entry[] {
    return groups.flatMap((group) => this.members(group));
  }
}
