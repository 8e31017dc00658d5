import { type GroupMatcher, matchesGroup } from '../../domain/keys';
import { IndexedSet } from './indexed-set';

/** What is in each group. A group exists while something is in it. */
export class GroupIndex<Entry extends { indexInGroup: number }> {
  readonly #groups = new Map<string, IndexedSet<'indexInGroup', Entry>>();

  add(group: string, entry: Entry): void {
    let members = this.#groups.get(group);
    if (members === undefined) {
      members = new IndexedSet('indexInGroup');
      this.#groups.set(group, members);
    }
    members.add(entry);
  }

  delete(group: string, entry: Entry): void {
    const members = this.#groups.get(group);
    if (members === undefined) return;
    members.delete(entry);
    if (members.size === 0) this.#groups.delete(group);
  }

  /** In code-unit order. */
  names(): string[] {
    return [...this.#groups.keys()].sort();
  }

  /** The names of the groups that match, in code-unit order. */
  matching(matcher: GroupMatcher): string[] {
    if (matcher.operator === 'equals') return this.#groups.has(matcher.value) ? [matcher.value] : [];
    return this.names().filter((group) => matchesGroup(matcher, group));
  }

  /** A copy, so that the members may be changed on the way. */
  members(group: string): readonly Entry[] {
    return this.#groups.get(group)?.toArray() ?? [];
  }
}
