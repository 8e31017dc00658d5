import { decodeModifiedUtf8 } from './modified-utf8';

/** The bytes of a Java stream, read one piece after the other; big-endian. Throws where the stream ends too early. */
export class JavaInput {
  readonly #bytes: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  int8(): number {
    return this.bytes(1).readInt8();
  }

  uint8(): number {
    return this.bytes(1).readUInt8();
  }

  uint16(): number {
    return this.bytes(2).readUInt16BE();
  }

  int32(): number {
    return this.bytes(4).readInt32BE();
  }

  int64(): bigint {
    return this.bytes(8).readBigInt64BE();
  }

  /** Text behind its length. */
  text(): string {
    return decodeModifiedUtf8(this.bytes(this.uint16()));
  }

  /** A view of that many bytes. They lie in a buffer that other rows share, so nothing beyond the end may be read. */
  bytes(length: number): Buffer {
    if (length < 0 || length > this.left) throw notRead(`${length} bytes beyond its end`);
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, from + length);
  }
}

export function notRead(what: string): TypeError {
  return new TypeError(`Java-serialised data holds ${what}, which is not read here.`);
}

/** The name of a class for messages, cleaned: whoever wrote the stream chose it. */
export function shownClass(name: string): string {
  return name.slice(0, 100).replace(/[^\w.$;[]/g, '?');
}
