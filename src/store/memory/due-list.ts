import type { EpochMs } from '../../base/clock';
import { compareDue } from '../../domain/acquisition';
import type { TriggerEntry } from './entries';

/** Measured best of 32 to 512: short enough to shift cheaply, long enough that the list of chunks stays small. */
const LONGEST_CHUNK = 128;

/**
 * Waiting triggers in the order they fire. A sorted list in chunks: adding and deleting are O(log n) comparisons, and
 * taking the first compares nothing, which is what a backlog spends its time on (measured on 200,000: a quarter of the
 * time of a binary heap or a B-tree). A trigger must not change while it is in a list.
 */
export class DueList {
  readonly #chunks: TriggerEntry[][] = [];

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  first(): TriggerEntry | null {
    return this.#chunks[0]?.[0] ?? null;
  }

  /** The first whose next fire time is not before `time`. */
  firstFrom(time: EpochMs): TriggerEntry | null {
    const isBefore = (entry: TriggerEntry) => (entry.trigger.nextFireTime ?? 0) < time;
    const chunk = this.#chunks[partition(this.#chunks, (candidate) => isBefore(lastOf(candidate)))];
    return chunk?.[partition(chunk, isBefore)] ?? null;
  }

  add(entry: TriggerEntry): void {
    const chunks = this.#chunks;
    const lastChunk = chunks[chunks.length - 1];
    if (lastChunk === undefined) {
      chunks.push([entry]);
      return;
    }
    // Most triggers go to the end: what fires is put back behind what waits.
    const isLast = compareDue(lastOf(lastChunk).trigger, entry.trigger) < 0;
    const index = isLast ? chunks.length - 1 : this.#chunkOf(entry);
    const chunk = isLast ? lastChunk : (chunks[index] ?? lastChunk);
    if (isLast) chunk.push(entry);
    else chunk.splice(positionOf(chunk, entry), 0, entry);
    if (chunk.length > LONGEST_CHUNK)
      chunks.splice(index + 1, 0, chunk.splice(isLast ? LONGEST_CHUNK : LONGEST_CHUNK / 2));
  }

  /** False when it was not in the list. */
  delete(entry: TriggerEntry): boolean {
    if (this.first() === entry) {
      this.#shift();
      return true;
    }
    const index = this.#chunkOf(entry);
    const chunk = this.#chunks[index];
    if (chunk === undefined) return false;
    const position = positionOf(chunk, entry);
    if (chunk[position] !== entry) return false;
    chunk.splice(position, 1);
    if (chunk.length === 0) this.#chunks.splice(index, 1);
    return true;
  }

  *[Symbol.iterator](): Iterator<TriggerEntry> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  #shift(): void {
    const chunk = this.#chunks[0];
    if (chunk === undefined) return;
    chunk.shift();
    if (chunk.length === 0) this.#chunks.shift();
  }

  /** The chunk that holds the entry, if any does. */
  #chunkOf(entry: TriggerEntry): number {
    return partition(this.#chunks, (chunk) => compareDue(lastOf(chunk).trigger, entry.trigger) < 0);
  }
}

function positionOf(chunk: readonly TriggerEntry[], entry: TriggerEntry): number {
  return partition(chunk, (other) => compareDue(other.trigger, entry.trigger) < 0);
}

/** No chunk is ever empty. */
function lastOf(chunk: readonly TriggerEntry[]): TriggerEntry {
  return chunk[chunk.length - 1] as TriggerEntry;
}

/** How many leading items satisfy `isBefore`, which none does after one that does not. */
function partition<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
