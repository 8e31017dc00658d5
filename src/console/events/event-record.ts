import { maskValue } from '../../base/secrets';

/** A message of an event stream (server-sent events). */
export interface Message {
  /** Absent: a message without a name. */
  readonly name?: 'changed';
  readonly data: unknown;
}

/** Recently sent messages, for clients that reconnect. */
export class EventRecord {
  readonly #epoch: string;
  readonly #size: number;
  readonly #texts: string[] = [];
  /** Number of the next message. */
  #next = 1;

  /** `epoch` is the prefix of every id. Ids of another record or process are therefore not mistaken for its own. */
  constructor(epoch: string, size: number) {
    this.#epoch = epoch;
    this.#size = size;
  }

  /** Stores a message and returns its text in the stream. */
  add({ name, data }: Message): string {
    const head = name === undefined ? '' : `event: ${name}\n`;
    // JSON escapes line breaks, so the data is always on one line.
    const text = `${head}id: ${this.#epoch}-${this.#next++}\ndata: ${JSON.stringify(maskValue(data))}\n\n`;
    this.#texts.push(text);
    if (this.#texts.length > this.#size) this.#texts.shift();
    return text;
  }

  /** Returns all messages after the one with the id, or null if the id is unknown or no longer stored. */
  since(id: string): string | null {
    const [, epoch, number] = /^([a-z0-9]+)-(\d{1,15})$/.exec(id) ?? [];
    const missed = this.#next - 1 - Number(number);
    if (epoch !== this.#epoch || missed < 0 || missed > this.#texts.length) return null;
    return missed === 0 ? '' : this.#texts.slice(-missed).join('');
  }
}
