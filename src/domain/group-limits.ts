/** Maximum number of concurrent runs per job group, by group name. A group without an entry has no limit. */
export type GroupLimits = Readonly<Record<string, number>>;

export function groupLimitOf(limits: GroupLimits | undefined, group: string): number | null {
  // A group name may equal the name of an inherited object property.
  return limits !== undefined && Object.hasOwn(limits, group) ? (limits[group] ?? null) : null;
}

/** Remaining capacity per job group on a node while a batch is assembled. Groups without a limit always have capacity. */
export class GroupCapacity {
  readonly #left: Map<string, number>;

  constructor(left: GroupLimits) {
    this.#left = new Map(Object.entries(left));
  }

  get groups(): readonly string[] {
    return [...this.#left.keys()];
  }

  get full(): readonly string[] {
    return this.groups.filter((group) => !this.hasCapacity(group)).sort();
  }

  hasCapacity(group: string): boolean {
    return (this.#left.get(group) ?? Number.POSITIVE_INFINITY) > 0;
  }

  /** No effect if the group has no limit. */
  take(group: string): void {
    const left = this.#left.get(group);
    if (left !== undefined) this.#left.set(group, left - 1);
  }
}
