/** Things, each of which remembers in its field `Slot` where in the bag it lies. */
type Member<Slot extends string> = { [Field in Slot]: number };

/**
 * A set of things that knows where each of them lies, so that adding and removing move one or two references and hash
 * nothing. Its order means nothing. A thing must be in at most one bag per slot.
 */
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

  /** The last takes the place of the one that goes. */
  delete(entry: Entry): void {
    const index = entry[this.#slot];
    const last = this.#entries.pop();
    if (last !== undefined && last !== entry) this.#place(last, index);
  }

  /** A copy, so that the bag may change while it is walked through. */
  toArray(): readonly Entry[] {
    return this.#entries.slice();
  }

  #place(entry: Entry, index: number): void {
    this.#entries[index] = entry;
    (entry as Member<Slot>)[this.#slot] = index;
  }
}
