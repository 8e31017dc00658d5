import type { JsonValue } from '../domain/job-data';

/*
 * The primitive types of Java. Their values are booleans, numbers, or text: a character, or a 64-bit number that JavaScript would round.
 */

interface Primitive {
  readonly size: number;
  read(bytes: Buffer, at: number): JsonValue;
  write(bytes: Buffer, at: number, value: never): unknown;
  /** Whether the type can hold exactly that value. */
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

/** By the letter that stands for the type in a stream. */
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

/** All values of one type in the bytes. */
export function readPrimitives(type: string, bytes: Buffer): readonly JsonValue[] {
  const { size, read } = PRIMITIVES[type] as Primitive;
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => read(bytes, index * size));
}

/** The bytes of the values; null when the type cannot hold one of them. */
export function writePrimitives(type: string, values: readonly JsonValue[]): Buffer | null {
  const { size, write, holds } = PRIMITIVES[type] as Primitive;
  if (!values.every(holds)) return null;
  const bytes = Buffer.alloc(size * values.length);
  for (const [index, value] of values.entries()) write(bytes, index * size, value as never);
  return bytes;
}

/** The bytes of a Java int. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
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
