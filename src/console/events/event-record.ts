import { maskValue } from '../../base/secrets';

/** A message of a stream of server-sent events. */
export interface Message {
  /** Absent: an ordinary message. */
  readonly name?: 'changed';
  readonly data: unknown;
}

/** What was sent last, so that a client that lost its connection gets what it has missed. */
export class EventRecord {
  readonly #epoch: string;
  readonly #size: number;
  readonly #texts: string[] = [];
  /** The number of the next message. */
  #next = 1;

  /** `epoch` begins every id: those of an earlier record, or of another process, are not taken for its own. */
  constructor(epoch: string, size: number) {
    this.#epoch = epoch;
    this.#size = size;
  }

  /** Keeps a message and returns it as it is sent. */
  add({ name, data }: Message): string {
    const head = name === undefined ? '' : `event: ${name}\n`;
    // JSON has no line break outside of its texts, and escapes those within.
    const text = `${head}id: ${this.#epoch}-${this.#next++}\ndata: ${JSON.stringify(maskValue(data))}\n\n`;
    this.#texts.push(text);
    if (this.#texts.length > this.#size) this.#texts.shift();
    return text;
  }

  /** All that came after the message of that id; null: it is not known any more, or never was. */
  since(id: string): string | null {
    const [, epoch, number] = /^([a-z0-9]+)-(\d{1,15})$/.exec(id) ?? [];
    const missed = this.#next - 1 - Number(number);
    if (epoch !== this.#epoch || missed < 0 || missed > this.#texts.length) return null;
    return missed === 0 ? '' : this.#texts.slice(-missed).join('');
  }
}
