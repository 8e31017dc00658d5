import type { JsonValue } from '../domain/job-data';
import { int32, int64, notRead, PRIMITIVES, readPrimitives, writePrimitives } from './java-bytes';
import { readJavaTime } from './java-time';
import { ClassPart, type Shape, type ShapeReader } from './shape';
import type { JavaArray, JavaFieldValue, JavaNode, JavaObject } from './stream-format';

/* Classes of single values, and arrays of primitives. Dates, identifiers and numbers that JavaScript would round become strings. */

/** Maximum size of a BigInteger, in bytes. Converting a larger number to a string would take most of the time to decode a row. */
const MAX_INTEGER = 4_096;

const DATE = 'java.util.Date';
const BIG_INTEGER = 'java.math.BigInteger';

const boxed =
  (type: string): ShapeReader =>
  (part) => ({
    is: 'scalar',
    value: readPrimitives(type, part.bytes('value', PRIMITIVES[type]?.size ?? 0))[0] ?? null,
    with: (value) => {
      const bytes = writePrimitives(type, [value]);
      return bytes && part.with({ value: bytes });
    },
  });

/** Reads a class that stores a boolean in an int field. */
const readAtomicBoolean: ShapeReader = (part) => ({
  is: 'scalar',
  value: part.int('value') !== 0,
  with: (value) => (typeof value === 'boolean' ? part.with({ value: int32(value ? 1 : 0) }) : null),
});

const readTexts =
  (...fields: readonly string[]): ShapeReader =>
  (part) => {
    const texts = fields.map((field) => part.text(field)).filter((text) => text !== '');
    return { is: 'scalar', value: texts.join('-') };
  };

/** Creates the shape of a class whose value is represented as a string. `parse` returns null for a string that does not have the format. */
function textShape<T>(
  value: T,
  format: (value: T) => string,
  parse: (text: string) => T | null,
  to: (value: T) => JavaNode | null,
) {
  const changed = (text: JsonValue): JavaNode | null => {
    const parsed = typeof text === 'string' ? parse(text) : null;
    return parsed !== null && format(parsed) === text ? to(parsed) : null;
  };
  return { is: 'scalar', value: format(value), with: changed } as const;
}

const readDate: ShapeReader = (part) =>
  textShape(Number(part.block(8).readBigInt64BE()), isoText, parseTime, (time) => withTime(part, time));

/** Reads a java.sql.Timestamp. The inherited date contains whole seconds, and the field `nanos` the fraction of a second. */
const readTimestamp: ShapeReader = (part) => {
  const date = part.of(DATE);
  const seconds = Math.floor(Number(date.block(8).readBigInt64BE()) / 1_000);
  const nanos = part.int('nanos');
  if (nanos < 0 || nanos > 999_999_999) part.fail();
  return textShape({ seconds, nanos }, timestampText, parseTimestamp, (changed) => {
    const dated = new ClassPart(withTime(date, changed.seconds * 1_000), 'java.sql.Timestamp');
    return dated.with({ nanos: int32(changed.nanos) });
  });
};

type Timestamp = Readonly<Record<'seconds' | 'nanos', number>>;

function timestampText({ seconds, nanos }: Timestamp): string {
  const fraction = String(nanos).padStart(9, '0');
  return `${isoText(seconds * 1_000).slice(0, -5)}.${fraction.replace(/000000$/, '')}Z`;
}

function parseTimestamp(text: string): Timestamp | null {
  const [, upToSeconds, fraction = ''] = /^(.*)\.(\d{3}|\d{9})Z$/.exec(text) ?? [];
  const time = parseTime(`${upToSeconds}Z`);
  return time === null ? null : { seconds: time / 1_000, nanos: Number(fraction.padEnd(9, '0')) };
}

function isoText(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw notRead('a date outside the years -271821 to 275760');
  return date.toISOString();
}

function parseTime(text: string): number | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

function withTime(part: ClassPart, time: number): JavaObject {
  return part.with({}, [{ kind: 'block', bytes: int64(BigInt(time)), isLong: false }]);
}

/** Reads a calendar as its point in time. Ignores its time zone and week settings. */
const readCalendar: ShapeReader = (part) => ({
  is: 'scalar',
  value: isoText(Number(part.bytes('time', 8).readBigInt64BE())),
});

const readUuid: ShapeReader = (part) => {
  const bytes = Buffer.concat([part.bytes('mostSigBits', 8), part.bytes('leastSigBits', 8)]);
  return textShape(bytes, uuidText, parseUuid, (changed) =>
    part.with({ mostSigBits: changed.subarray(0, 8), leastSigBits: changed.subarray(8) }),
  );
};

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function parseUuid(text: string): Buffer | null {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  return bytes.length === 16 ? bytes : null;
}

const readBigInteger: ShapeReader = (part) => {
  const parse = (text: string) => (/^-?\d+$/.test(text) ? BigInt(text) : null);
  return textShape(integerIn(part), String, parse, (value) => withInteger(part, value));
};

function integerIn(part: ClassPart): bigint {
  const magnitude = part.node('magnitude');
  if (magnitude.kind !== 'array' || magnitude.type.name !== '[B' || !Buffer.isBuffer(magnitude.elements))
    return part.fail();
  if (magnitude.elements[0] === 0) part.fail();
  if (magnitude.length > MAX_INTEGER) throw notRead(`a number of more than ${MAX_INTEGER} bytes`);
  const size = BigInt(`0x0${magnitude.elements.toString('hex')}`);
  return part.int('signum') < 0 ? -size : size;
}

function withInteger(part: ClassPart, value: bigint): JavaObject | null {
  const hex = (value < 0n ? -value : value).toString(16);
  const elements = Buffer.from(value === 0n ? '' : hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  if (elements.length > MAX_INTEGER) return null;
  const magnitude = { ...part.node('magnitude'), elements, length: elements.length } as JavaFieldValue;
  return part.with({ magnitude, signum: int32(value < 0n ? -1 : Number(value > 0n)) });
}

interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

const readBigDecimal: ShapeReader = (part) => {
  const integer = part.node('intVal');
  if (integer.kind !== 'object' || integer.type.name !== BIG_INTEGER) return part.fail();
  const inner = new ClassPart(integer, BIG_INTEGER);
  const decimal = { unscaled: integerIn(inner), scale: part.int('scale') };
  return textShape(decimal, decimalText, parseDecimal, ({ unscaled, scale }) => {
    const intVal = withInteger(inner, unscaled);
    return intVal && part.with({ intVal, scale: int32(scale) });
  });
};

/** Formats a decimal number like BigDecimal.toString(), which preserves the scale. */
function decimalText({ unscaled, scale }: Decimal): string {
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

function parseDecimal(text: string): Decimal | null {
  const [, digits = '', fraction = '', exponent = '0'] = /^(-?\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/.exec(text) ?? [];
  const scale = fraction.length - Number(exponent);
  if (digits === '' || digits.length > 2 * MAX_INTEGER || !PRIMITIVES.I?.holds(scale)) return null;
  return { unscaled: BigInt(digits + fraction), scale };
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
  'java.time.Ser': readJavaTime,
  // A language tag, such as de-DE.
  'java.util.Locale': readTexts('language', 'script', 'country', 'variant'),
  'java.util.TimeZone': readTexts('ID'),
  'java.util.Currency': readTexts('currencyCode'),
  'java.net.URI': readTexts('string'),
};

/** Returns the shape of an array of primitives: a Base64 string for bytes, a list of values for other types. Creates no node per element. */
export function primitivesShape(array: JavaArray, bytes: Buffer): Shape {
  if (array.type.name === '[B') {
    const parse = (text: string) => Buffer.from(text, 'base64');
    const format = (content: Buffer) => content.toString('base64');
    return textShape(bytes, format, parse, (elements) => ({ ...array, elements, length: elements.length }));
  }
  const type = array.type.name.charAt(1);
  return {
    is: 'scalar',
    value: readPrimitives(type, bytes),
    with: (value) => {
      const changed = Array.isArray(value) ? writePrimitives(type, value) : null;
      return changed && { ...array, elements: changed, length: (value as readonly unknown[]).length };
    },
  };
}
