/** Characters that could make a text look different from its content: control characters, line breaks, and marks that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces control characters in a string from outside with U+FFFD. Such characters could move the cursor, change colours or break lines. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd');
}

/** Applies `printable` to all strings in plain data. Line breaks in error messages are not replaced. */
export function withPrintableTexts<T>(value: T): T {
  return cleaned(value) as T;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (value instanceof Error) return withMessage(value, value.message.split('\n').map(printable).join('\n'));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [printable(key), cleaned(each)]));
}

/** Returns the error itself if the message is equal, otherwise a copy with the new message. */
function withMessage(error: Error, message: string): Error {
  if (message === error.message) return error;
  return Object.create(error, { message: { value: message, enumerable: false } }) as Error;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Array.isArray(value);
}
