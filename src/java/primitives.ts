import type { JsonValue } from '../domain/job-data';

/*
 * The primitive values of Java: a boolean, a number, or text, for a character and for a number of 64 bits that JavaScript would round.
 */

interface Primitive {
  readonly size: number;
  read(view: DataView, at: number): JsonValue;
  write(view: DataView, at: number, value: never): void;
  /** Whether the type holds that very value. */
  holds(value: JsonValue): boolean;
}

const isInteger = (bits: number) => (value: JsonValue) =>
  Number.isInteger(value) &&
  !Object.is(value, -0) &&
  (value as number) >= -(2 ** (bits - 1)) &&
  (value as number) < 2 ** (bits - 1);

export const PRIMITIVES: Readonly<Record<string, Primitive>> = {
  B: {
    size: 1,
    read: (view, at) => view.getInt8(at),
    write: (view, at, value) => view.setInt8(at, value),
    holds: isInteger(8),
  },
  S: {
    size: 2,
    read: (view, at) => view.getInt16(at),
    write: (view, at, value) => view.setInt16(at, value),
    holds: isInteger(16),
  },
  I: {
    size: 4,
    read: (view, at) => view.getInt32(at),
    write: (view, at, value) => view.setInt32(at, value),
    holds: isInteger(32),
  },
  J: {
    size: 8,
    read: (view, at) => exactLong(view.getBigInt64(at)),
    write: (view, at, value) => view.setBigInt64(at, BigInt(value)),
    holds: (value) =>
      typeof value === 'number' ? Number.isSafeInteger(value) && !Object.is(value, -0) : isLong(value),
  },
  F: {
    size: 4,
    read: (view, at) => view.getFloat32(at),
    write: (view, at, value) => view.setFloat32(at, value),
    holds: (value) => typeof value === 'number' && Object.is(Math.fround(value), value),
  },
  D: {
    size: 8,
    read: (view, at) => view.getFloat64(at),
    write: (view, at, value) => view.setFloat64(at, value),
    holds: (value) => typeof value === 'number',
  },
  C: {
    size: 2,
    read: (view, at) => String.fromCharCode(view.getUint16(at)),
    write: (view, at, value) => view.setUint16(at, (value as string).charCodeAt(0)),
    holds: (value) => typeof value === 'string' && value.length === 1,
  },
  Z: {
    size: 1,
    read: (view, at) => view.getUint8(at) !== 0,
    write: (view, at, value) => view.setUint8(at, value ? 1 : 0),
    holds: (value) => typeof value === 'boolean',
  },
};

/** Values of one type, one after the other. */
export function readPrimitives(type: string, bytes: Uint8Array): readonly JsonValue[] {
  const { size, read } = primitive(type);
  const view = viewOf(bytes);
  const values: JsonValue[] = [];
  for (let at = 0; at + size <= bytes.length; at += size) values.push(read(view, at));
  return values;
}

/** Their bytes; null when the type does not hold one of them. */
export function writePrimitives(type: string, values: readonly JsonValue[]): Uint8Array | null {
  const { size, write, holds } = primitive(type);
  if (!values.every(holds)) return null;
  const bytes = new Uint8Array(size * values.length);
  for (const [index, value] of values.entries()) write(viewOf(bytes), index * size, value as never);
  return bytes;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A 64-bit integer as a number, or as text where a number would round it. */
export function exactLong(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** Text of a number that is read as text. */
function isLong(value: JsonValue): boolean {
  if (typeof value !== 'string' || !/^-?[1-9]\d{15,18}$/.test(value)) return false;
  return BigInt.asIntN(64, BigInt(value)).toString() === value;
}

function primitive(type: string): Primitive {
  return PRIMITIVES[type] as Primitive;
}

export function int32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setInt32(0, value);
  return bytes;
}
