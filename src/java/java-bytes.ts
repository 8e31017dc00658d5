import type { JsonValue } from '../domain/job-data';

/** Reads big-endian values from a Java stream, from start to end. All methods throw a TypeError if too few bytes remain. */
export class JavaInput {
  readonly #bytes: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

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

  text(): string {
    return decodeModifiedUtf8(this.bytes(this.uint16()));
  }

  /** Returns a view of the next `length` bytes. Throws a TypeError if fewer remain, because the underlying buffer may also contain other rows. */
  bytes(length: number): Buffer {
    if (length < 0) throw damaged('it contains a negative length');
    if (length > this.left) throw damaged('it ends in the middle of a value');
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, from + length);
  }
}

export function notRead(what: string): TypeError {
  return new TypeError(`Java-serialised data contains ${what}, which is not supported.`);
}

/** Returns the error for bytes that no Java program has written. `fact` is a clause about the data. */
export function damaged(fact: string): TypeError {
  return new TypeError(`Java-serialised data is damaged: ${fact}.`);
}

/** Sanitises a class name for use in messages, because the name comes from the stream. */
export function shownClass(name: string): string {
  return name.slice(0, 100).replace(/[^\w.$;[]/g, '?');
}

/** Decodes modified UTF-8, in which U+0000 takes two bytes and each half of a surrogate pair is encoded separately. */
export function decodeModifiedUtf8(bytes: Uint8Array): string {
  const units: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const size = first < 0x80 ? 1 : (first & 0xe0) === 0xc0 ? 2 : 3;
    const second = (bytes[at + 1] ?? 0) & 0x3f;
    if (size === 1) units.push(String.fromCharCode(first));
    else if (size === 2) units.push(String.fromCharCode(((first & 0x1f) << 6) | second));
    else units.push(String.fromCharCode(((first & 0x0f) << 12) | (second << 6) | ((bytes[at + 2] ?? 0) & 0x3f)));
    at += size;
  }
  return units.join('');
}

export function encodeModifiedUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code !== 0 && code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  }
  return Uint8Array.from(bytes);
}

/** Primitive type of Java. Characters, and 64-bit numbers that JavaScript would round, are represented as strings. */
interface Primitive {
  readonly size: number;
  read(bytes: Buffer, at: number): JsonValue;
  write(bytes: Buffer, at: number, value: never): unknown;
  /** Returns true if the type can represent exactly this value. */
  holds(value: JsonValue): boolean;
}

const isInteger = (bits: number) => (value: JsonValue) =>
  Number.isInteger(value) &&
  !Object.is(value, -0) &&
  (value as number) >= -(2 ** (bits - 1)) &&
  (value as number) < 2 ** (bits - 1);

const isLong = (value: JsonValue) =>
  typeof value === 'string' ? isLongText(value) : Number.isSafeInteger(value) && !Object.is(value, -0);

const isFloat = (value: JsonValue) => typeof value === 'number' && Object.is(Math.fround(value), value);
const isDouble = (value: JsonValue) => typeof value === 'number';
const isCharacter = (value: JsonValue) => typeof value === 'string' && value.length === 1;
const isBoolean = (value: JsonValue) => typeof value === 'boolean';

/** Primitive types by their type code in a stream. */
export const PRIMITIVES: Readonly<Record<string, Primitive>> = {
  B: { size: 1, holds: isInteger(8), read: (b, at) => b.readInt8(at), write: (b, at, v) => b.writeInt8(v, at) },
  S: { size: 2, holds: isInteger(16), read: (b, at) => b.readInt16BE(at), write: (b, at, v) => b.writeInt16BE(v, at) },
  I: { size: 4, holds: isInteger(32), read: (b, at) => b.readInt32BE(at), write: (b, at, v) => b.writeInt32BE(v, at) },
  J: { size: 8, holds: isLong, read: readLong, write: (b, at, v) => b.writeBigInt64BE(BigInt(v), at) },
  F: { size: 4, holds: isFloat, read: (b, at) => b.readFloatBE(at), write: (b, at, v) => b.writeFloatBE(v, at) },
  D: { size: 8, holds: isDouble, read: (b, at) => b.readDoubleBE(at), write: (b, at, v) => b.writeDoubleBE(v, at) },
  C: { size: 2, holds: isCharacter, read: readCharacter, write: (b, at, v) => b.writeUInt16BE(codeOf(v), at) },
  Z: { size: 1, holds: isBoolean, read: (b, at) => b[at] !== 0, write: (b, at, v) => b.writeUInt8(v ? 1 : 0, at) },
};

export function readPrimitives(type: string, bytes: Buffer): readonly JsonValue[] {
  const { size, read } = PRIMITIVES[type] as Primitive;
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => read(bytes, index * size));
}

/** Returns null if the type cannot represent one of the values. */
export function writePrimitives(type: string, values: readonly JsonValue[]): Buffer | null {
  const { size, write, holds } = PRIMITIVES[type] as Primitive;
  if (!values.every(holds)) return null;
  const bytes = Buffer.alloc(size * values.length);
  for (const [index, value] of values.entries()) write(bytes, index * size, value as never);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function readLong(bytes: Buffer, at: number): number | string {
  const value = bytes.readBigInt64BE(at);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

function isLongText(text: string): boolean {
  return /^-?[1-9]\d{15,18}$/.test(text) && BigInt.asIntN(64, BigInt(text)).toString() === text;
}

function readCharacter(bytes: Buffer, at: number): string {
  return String.fromCharCode(bytes.readUInt16BE(at));
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
