/**
 * A bounded cache in two generations: what is looked up moves to the young one, and when that is full it becomes the
 * old one and the former old one is dropped. Keeps at least the `capacity` last used values, and at most twice as many,
 * with a plain map lookup per hit. Keys are pairs, so that no lookup has to join strings.
 */
export class RecentlyUsed<Value> {
  readonly #capacity: number;
  #young = new Map<string, Map<string, Value>>();
  #old = new Map<string, Map<string, Value>>();
  #youngSize = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value of a pair of keys, made by `create` when it is not kept. */
  get(group: string, key: string, create: () => Value): Value {
    const known = this.#young.get(group)?.get(key);
    if (known !== undefined) return known;

    const value = this.#old.get(group)?.get(key) ?? create();
    if (this.#youngSize >= this.#capacity) this.#age();
    const sameGroup = this.#young.get(group) ?? new Map<string, Value>();
    this.#young.set(group, sameGroup.set(key, value));
    this.#youngSize++;
    return value;
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
  }
}
