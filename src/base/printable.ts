import { isError, withTexts } from './error-values';

const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces with U+FFFD all characters that could move the cursor, change colours, break lines or change the text direction. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd');
}

/** Applies `printable` to all strings in plain data. Line breaks in error messages are not replaced. */
export function withPrintableTexts<T>(value: T): T {
  return cleaned(value) as T;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (isError(value)) return withMessage(value, value.message.split('\n').map(printable).join('\n'));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [printable(key), cleaned(each)]));
}

function withMessage(error: Error, message: string): Error {
  return message === error.message ? error : withTexts(error, { message });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Array.isArray(value);
}
