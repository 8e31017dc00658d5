/** The bytes of a Java stream, taken one piece after the other; big-endian. A read beyond the end is a RangeError of DataView. */
export class JavaInput {
  readonly view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Where the next piece begins. */
  get at(): number {
    return this.#at;
  }

  uint8(): number {
    return this.view.getUint8(this.skip(1));
  }

  uint16(): number {
    return this.view.getUint16(this.skip(2));
  }

  int32(): number {
    return this.view.getInt32(this.skip(4));
  }

  uint64(): bigint {
    return this.view.getBigUint64(this.skip(8));
  }

  /** Moves on; where it was. */
  skip(size: number): number {
    const from = this.#at;
    this.#at += size;
    return from;
  }

  /** In base64. */
  bytes(length: number): string {
    const from = this.skip(length);
    // The bytes lie in a buffer that other rows share: beyond the end is what nobody asked for.
    if (this.#at > this.view.byteLength) throw notRead('bytes beyond its end');
    return Buffer.from(this.view.buffer, this.view.byteOffset + from, length).toString('base64');
  }

  /** Modified UTF-8: as UTF-8, but U+0000 in two bytes and surrogates one by one. */
  text(length: number): string {
    const end = this.#at + length;
    if (end > this.view.byteLength) throw notRead('text beyond its end');
    let text = '';
    while (this.#at < end) text += String.fromCharCode(this.#character());
    return text;
  }

  #character(): number {
    const first = this.uint8();
    if (first < 0x80) return first;
    if ((first & 0xe0) === 0xc0) return ((first & 0x1f) << 6) | (this.uint8() & 0x3f);
    return ((first & 0x0f) << 12) | ((this.uint8() & 0x3f) << 6) | (this.uint8() & 0x3f);
  }
}

export function notRead(what: string): TypeError {
  return new TypeError(`Java-serialised data holds ${what}, which is not read here.`);
}
