import { maskValue } from '../../base/secrets';

export interface Message {
  readonly name?: 'changed';
  readonly data: unknown;
}

/** Recent messages of a stream, for clients that reconnect. */
export class EventRecord {
  readonly #epoch: string;
  readonly #size: number;
  readonly #texts: string[] = [];
  #next = 1;

  /** `epoch` is the prefix of all message ids. It distinguishes these ids from the ids of other records and processes. */
  constructor(epoch: string, size: number) {
    this.#epoch = epoch;
    this.#size = size;
  }

  /** Records a message. Returns its text for the stream. */
  add({ name, data }: Message): string {
    const head = name === undefined ? '' : `event: ${name}\n`;
    // JSON escapes line breaks, so that the data is a single line.
    const text = `${head}id: ${this.#epoch}-${this.#next++}\ndata: ${JSON.stringify(maskValue(data))}\n\n`;
    this.#texts.push(text);
    if (this.#texts.length > this.#size) this.#texts.shift();
    return text;
  }

  /** Returns the text of all messages after this one. Null if the id is unknown, or if one of the later messages is no longer stored. */
  since(id: string): string | null {
    const [, epoch, number] = /^([a-z0-9]+)-(\d{1,15})$/.exec(id) ?? [];
    const missed = this.#next - 1 - Number(number);
    if (epoch !== this.#epoch || missed < 0 || missed > this.#texts.length) return null;
    return missed === 0 ? '' : this.#texts.slice(-missed).join('');
  }
}
