/** More than this are told again: memory must not grow with the number of rows that cannot be read. */
const MOST_REMEMBERED = 1_000;

/** Says whether something has not been told yet. */
export class WarnOnce {
  readonly #told = new Set<string>();

  isNew(text: string): boolean {
    if (this.#told.has(text)) return false;
    if (this.#told.size >= MOST_REMEMBERED) this.#told.clear();
    this.#told.add(text);
    return true;
  }
}
