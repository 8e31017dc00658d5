/** The bytes of a Java stream, taken one piece after the other; big-endian. Throws where the stream ends before it is whole. */
export class JavaInput {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes there still are. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  uint8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#skip(2));
  }

  int32(): number {
    return this.#view.getInt32(this.#skip(4));
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#skip(8));
  }

  /** A view of that many bytes, not a copy. */
  bytes(length: number): Uint8Array {
    const from = this.#skip(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** Where the next piece began. The bytes lie in a buffer that other rows share: beyond the end is what nobody asked for. */
  #skip(size: number): number {
    if (size > this.left) throw notRead(`${size} bytes beyond its end`);
    const from = this.#at;
    this.#at += size;
    return from;
  }
}

export function notRead(what: string): TypeError {
  return new TypeError(`Java-serialised data holds ${what}, which is not read here.`);
}

/** The name of a class of the stream, for messages: whoever wrote the stream chose it. */
export function shownClass(name: string): string {
  return name.slice(0, 100).replace(/[^\w.$;[]/g, '?');
}
