/** How many runs of the jobs of a group may execute at once, by the names of the groups. A group without an entry has no limit. */
export type GroupLimits = Readonly<Record<string, number>>;

/** The limit of a group; null: it has none. */
export function groupLimitOf(limits: GroupLimits | undefined, group: string): number | null {
  // A group may be called as something that every object has.
  return limits !== undefined && Object.hasOwn(limits, group) ? (limits[group] ?? null) : null;
}

/** How many more runs of each limited group may begin on a node, while a batch is put together for it. */
export class GroupRoom {
  readonly #left: Map<string, number>;

  constructor(left: GroupLimits) {
    this.#left = new Map(Object.entries(left));
  }

  /** The groups that have a limit. */
  get groups(): readonly string[] {
    return [...this.#left.keys()];
  }

  /** Those of which nothing may begin, sorted. */
  get full(): readonly string[] {
    return this.groups.filter((group) => !this.hasRoom(group)).sort();
  }

  hasRoom(group: string): boolean {
    return (this.#left.get(group) ?? Number.POSITIVE_INFINITY) > 0;
  }

  /** One begins. */
  take(group: string): void {
    const left = this.#left.get(group);
    if (left !== undefined) this.#left.set(group, left - 1);
  }
}
