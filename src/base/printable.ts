/** Controls, breaks of lines, and marks that turn the direction of what follows: they would show another text than the one that is there. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A name or message from outside as it may be shown: what would move the cursor, colour or break a line is replaced. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd');
}

/** The same for every text in plain data; errors keep their line breaks, which their own messages may have. */
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

/** The error itself unless its message has to differ: then one that looks like it. */
function withMessage(error: Error, message: string): Error {
  if (message === error.message) return error;
  return Object.create(error, { message: { value: message, enumerable: false } }) as Error;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Array.isArray(value);
}
