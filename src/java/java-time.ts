import { JavaInput, notRead } from './java-bytes';
import type { ShapeReader } from './shape';

/* Values of java.time, decoded to the string of Java's `toString()`. Java serialises them as java.time.Ser: one byte for the class, then numbers. */

const VALUES: Readonly<Record<number, (input: JavaInput) => string>> = {
  1: duration,
  2: instant,
  3: localDate,
  4: localTime,
  5: localDateTime,
  6: zonedDateTime,
  7: (input) => input.text(),
  8: zoneOffset,
  9: (input) => localTime(input) + zoneOffset(input),
  10: (input) => localDateTime(input) + zoneOffset(input),
  11: (input) => String(input.int32()),
  12: (input) => `${year(input.int32())}-${two(input.int8())}`,
  13: (input) => `--${two(input.int8())}-${two(input.int8())}`,
  14: period,
};

export const readJavaTime: ShapeReader = (part) => {
  const input = new JavaInput(part.block(2));
  const type = input.int8();
  const read = VALUES[type];
  if (read === undefined) throw notRead(`the type ${type} of java.time`);
  return { is: 'scalar', value: read(input) };
};

function instant(input: JavaInput): string {
  const seconds = input.int64();
  const nanos = input.int32();
  // Shifts years that JavaScript's Date cannot represent by multiples of 400 years, after which the calendar repeats.
  const cycles = seconds / CYCLE - (seconds % CYCLE < 0n ? 1n : 0n);
  const date = new Date(Number(seconds - cycles * CYCLE) * 1_000);
  const yearOf = date.getUTCFullYear() + Number(cycles) * 400;
  const day = `${year(yearOf)}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  return `${day}T${time}${fraction(nanos)}Z`;
}

/** Number of seconds in 400 years. */
const CYCLE = 12_622_780_800n;

function localDate(input: JavaInput): string {
  return `${year(input.int32())}-${two(input.int8())}-${two(input.int8())}`;
}

/** Trailing zero parts are not stored; the last stored part is then encoded as its bitwise complement. */
function localTime(input: JavaInput): string {
  const parts: number[] = [];
  while (parts.length < 3) {
    const part = input.int8();
    parts.push(part < 0 ? ~part : part);
    if (part < 0) break;
    if (parts.length === 3) return `${parts.map(two).join(':')}${fraction(input.int32())}`;
  }
  return [...parts, 0].slice(0, Math.max(2, parts.length)).map(two).join(':');
}

function localDateTime(input: JavaInput): string {
  return `${localDate(input)}T${localTime(input)}`;
}

/** A number of quarters of an hour, or the byte 127 followed by a number of seconds. */
function zoneOffset(input: JavaInput): string {
  const quarters = input.int8();
  const total = quarters === 127 ? input.int32() : quarters * 900;
  if (total === 0) return 'Z';
  const size = Math.abs(total);
  const parts = [Math.floor(size / 3_600), Math.floor(size / 60) % 60, size % 60];
  return (total < 0 ? '-' : '+') + (parts[2] === 0 ? parts.slice(0, 2) : parts).map(two).join(':');
}

function zonedDateTime(input: JavaInput): string {
  const local = localDateTime(input);
  const offset = zoneOffset(input);
  const zone = input.int8() === 7 ? input.text() : zoneOffset(input);
  return zone === offset ? local + offset : `${local}${offset}[${zone}]`;
}

function duration(input: JavaInput): string {
  const seconds = input.int64();
  const nanos = input.int32();
  if (seconds === 0n && nanos === 0) return 'PT0S';
  const effective = seconds < 0n && nanos > 0 ? seconds + 1n : seconds;
  const hours = effective / 3_600n;
  const minutes = (effective / 60n) % 60n;
  const rest = effective % 60n;
  const text = `PT${hours === 0n ? '' : `${hours}H`}${minutes === 0n ? '' : `${minutes}M`}`;
  if (rest === 0n && nanos === 0) return text;
  const isNegative = seconds < 0n;
  const whole = isNegative && rest === 0n && nanos > 0 ? '-0' : rest.toString();
  const digits = String(isNegative ? 1_000_000_000 - nanos : nanos).padStart(9, '0');
  return `${text}${whole}${nanos === 0 ? '' : `.${digits.replace(/0+$/, '')}`}S`;
}

function period(input: JavaInput): string {
  const text = ['Y', 'M', 'D'].map((unit) => ({ unit, count: input.int32() })).filter(({ count }) => count !== 0);
  return text.length === 0 ? 'P0D' : `P${text.map(({ unit, count }) => `${count}${unit}`).join('')}`;
}

/** Formats nanoseconds as a fraction of three, six or nine digits. Returns an empty string for 0. */
function fraction(nanos: number): string {
  if (nanos === 0) return '';
  return `.${String(nanos)
    .padStart(9, '0')
    .replace(/(000){1,2}$/, '')}`;
}

function year(value: number): string {
  const digits = String(Math.abs(value)).padStart(4, '0');
  if (value < 0) return `-${digits}`;
  return value > 9_999 ? `+${digits}` : digits;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
