import type { JsonValue } from '../domain/job-data';
import { notRead } from './java-input';
import { int32, PRIMITIVES, readPrimitives, viewOf, writePrimitives } from './primitives';
import {
  blockIn,
  bytesOf,
  intOf,
  malformed,
  nodeOf,
  type ScalarShape,
  type ShapeReader,
  textOf,
  withField,
  withPart,
  writtenBy,
} from './shape';
import type { JavaNode, JavaObject } from './stream-format';

/*
 * Classes whose objects are one value: numbers, dates, identifiers. Numbers beyond JavaScript's, dates and identifiers are text.
 */

/** More digits than this are no number that anybody calculates with; their text would take longer to make than all else. */
const LONGEST_INTEGER = 4_096;

type Remade = (value: JsonValue) => JavaNode | null;
const scalar = (value: JsonValue, remade?: Remade): ScalarShape => ({
  is: 'scalar',
  value,
  ...(remade && { with: remade }),
});

/** An object around one primitive field. */
const boxed =
  (type: string): ShapeReader =>
  (object, className) => {
    const bytes = bytesOf(object, className, 'value', PRIMITIVES[type]?.size ?? 0);
    return scalar(readPrimitives(type, bytes)[0] ?? null, (value) =>
      withBytes(object, className, 'value', writePrimitives(type, [value])),
    );
  };

/** A boolean kept in a number. */
const readAtomicBoolean: ShapeReader = (object, className) =>
  scalar(intOf(object, className, 'value') !== 0, (value) =>
    typeof value === 'boolean' ? withBytes(object, className, 'value', int32(value ? 1 : 0)) : null,
  );

/** A text field that says it all. */
const named =
  (field: string): ShapeReader =>
  (object, className) =>
    scalar(textOf(nodeOf(object, className, field)));

const readDate: ShapeReader = (object, className) => {
  const block = blockIn(object, writtenBy(object, className), 0, 8);
  return scalar(isoOf(Number(viewOf(block.bytes).getBigInt64(0))), (value) => {
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    return !Number.isNaN(time) && isoOf(time) === value ? withTime(object, time) : null;
  });
};

/** Its date has whole seconds; what is below is in nanoseconds. */
const readTimestamp: ShapeReader = (object, className) => {
  const block = blockIn(object, writtenBy(object, DATE), 0, 8);
  const nanos = intOf(object, className, 'nanos');
  const whole = Number(viewOf(block.bytes).getBigInt64(0));
  if (nanos < 0 || nanos > 999_999_999) throw malformed(object);
  const seconds = Math.floor(whole / 1_000);
  return scalar(timestampText(seconds, nanos), (value) => {
    const [, upToSeconds, fraction = ''] =
      typeof value === 'string' ? (/^(.*)\.(\d{3}|\d{9})Z$/.exec(value) ?? []) : [];
    const time = Date.parse(`${upToSeconds}Z`);
    const changed = Number(fraction.padEnd(9, '0'));
    if (Number.isNaN(time) || timestampText(time / 1_000, changed) !== value) return null;
    return withBytes(withTime(object, time), className, 'nanos', int32(changed));
  });
};

const DATE = 'java.util.Date';

function timestampText(seconds: number, nanos: number): string {
  const text = isoOf(seconds * 1_000).slice(0, -5);
  const fraction = String(nanos).padStart(9, '0');
  return `${text}.${fraction.endsWith('000000') ? fraction.slice(0, 3) : fraction}Z`;
}

function isoOf(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw notRead('a date beyond the year 275760');
  return date.toISOString();
}

function withTime(object: JavaObject, time: number): JavaObject {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigInt64(0, BigInt(time));
  return withPart(object, DATE, () => ({ written: [{ kind: 'block', bytes, isLong: false }] }));
}

const readUuid: ShapeReader = (object, className) => {
  const half = (name: string) => Buffer.from(bytesOf(object, className, name, 8)).toString('hex');
  const hex = half('mostSigBits') + half('leastSigBits');
  return scalar(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), (value) => {
    if (typeof value !== 'string' || !/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(value))
      return null;
    const bytes = Uint8Array.from(Buffer.from(value.replaceAll('-', ''), 'hex'));
    const first = withBytes(object, className, 'mostSigBits', bytes.subarray(0, 8));
    return first && withBytes(first, className, 'leastSigBits', bytes.subarray(8));
  });
};

const readBigInteger: ShapeReader = (object, className) =>
  scalar(integerIn(object, className).toString(), (value) =>
    typeof value === 'string' && /^(0|-?[1-9]\d*)$/.test(value) ? withInteger(object, BigInt(value)) : null,
  );

const BIG_INTEGER = 'java.math.BigInteger';

function integerIn(object: JavaObject, className: string): bigint {
  const magnitude = nodeOf(object, className, 'magnitude');
  if (magnitude.kind !== 'array' || !(magnitude.elements instanceof Uint8Array) || magnitude.type.name !== '[B')
    throw malformed(object);
  if (magnitude.elements[0] === 0) throw malformed(object);
  if (magnitude.length > LONGEST_INTEGER) throw notRead(`a number of more than ${LONGEST_INTEGER} bytes`);
  const size = BigInt(`0x0${Buffer.from(magnitude.elements).toString('hex')}`);
  return intOf(object, className, 'signum') < 0 ? -size : size;
}

function withInteger(object: JavaObject, value: bigint): JavaObject | null {
  const hex = (value < 0n ? -value : value).toString(16);
  const bytes =
    value === 0n ? new Uint8Array() : Uint8Array.from(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'));
  const before = nodeOf(object, BIG_INTEGER, 'magnitude');
  if (before.kind !== 'array' || bytes.length > LONGEST_INTEGER) return null;
  const magnitude: JavaNode = { ...before, elements: bytes, length: bytes.length };
  return withPart(object, BIG_INTEGER, (part) => {
    const fields = withField(part, 'magnitude', magnitude);
    return { fields: withField({ ...part, fields }, 'signum', int32(value < 0n ? -1 : value === 0n ? 0 : 1)) };
  });
}

const readBigDecimal: ShapeReader = (object, className) => {
  const integer = nodeOf(object, className, 'intVal');
  if (integer.kind !== 'object' || integer.type.name !== BIG_INTEGER) throw malformed(object);
  const scale = intOf(object, className, 'scale');
  return scalar(decimalText(integerIn(integer, BIG_INTEGER), scale), (value) => {
    const [, digits = '', fraction = '', exponent = '0'] =
      typeof value === 'string' ? (/^(-?\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/.exec(value) ?? []) : [];
    const newScale = fraction.length - Number(exponent);
    if (digits === '' || digits.length > 2 * LONGEST_INTEGER || !PRIMITIVES.I?.holds(newScale)) return null;
    const unscaled = BigInt(digits + fraction);
    const changed = decimalText(unscaled, newScale) === value ? withInteger(integer, unscaled) : null;
    if (changed === null) return null;
    return withPart(object, className, (part) => {
      const fields = withField(part, 'intVal', changed);
      return { fields: withField({ ...part, fields }, 'scale', int32(newScale)) };
    });
  });
};

/** As BigDecimal.toString(), which says the scale, too. */
function decimalText(unscaled: bigint, scale: number): string {
  if (scale === 0) return unscaled.toString();
  const sign = unscaled < 0n ? '-' : '';
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString();
  const exponent = digits.length - 1 - scale;
  if (scale > 0 && exponent >= -6) {
    const padded = digits.padStart(scale + 1, '0');
    return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
  }
  const mantissa = digits.length === 1 ? digits : `${digits.charAt(0)}.${digits.slice(1)}`;
  return `${sign}${mantissa}${exponent === 0 ? '' : `E${exponent > 0 ? '+' : ''}${exponent}`}`;
}

/** As a language tag: de-DE. */
const readLocale: ShapeReader = (object, className) => {
  const parts = ['language', 'script', 'country', 'variant'].map((field) => textOf(nodeOf(object, className, field)));
  return scalar(parts.filter((part) => part !== '').join('-'));
};

/** A moment; its zone and its weeks are not told. */
const readCalendar: ShapeReader = (object, className) =>
  scalar(isoOf(Number(viewOf(bytesOf(object, className, 'time', 8)).getBigInt64(0))));

function withBytes(object: JavaObject, className: string, field: string, bytes: Uint8Array | null): JavaObject | null {
  return bytes && withPart(object, className, (part) => ({ fields: withField(part, field, bytes) }));
}

export const SCALARS: Readonly<Record<string, ShapeReader>> = {
  'java.lang.Byte': boxed('B'),
  'java.lang.Short': boxed('S'),
  'java.lang.Integer': boxed('I'),
  'java.lang.Long': boxed('J'),
  'java.lang.Float': boxed('F'),
  'java.lang.Double': boxed('D'),
  'java.lang.Character': boxed('C'),
  'java.lang.Boolean': boxed('Z'),
  'java.util.concurrent.atomic.AtomicInteger': boxed('I'),
  'java.util.concurrent.atomic.AtomicLong': boxed('J'),
  'java.util.concurrent.atomic.AtomicBoolean': readAtomicBoolean,
  [BIG_INTEGER]: readBigInteger,
  'java.math.BigDecimal': readBigDecimal,
  [DATE]: readDate,
  'java.sql.Timestamp': readTimestamp,
  'java.util.Calendar': readCalendar,
  'java.util.UUID': readUuid,
  'java.util.Locale': readLocale,
  'java.util.TimeZone': named('ID'),
  'java.util.Currency': named('currencyCode'),
  'java.net.URI': named('string'),
};
