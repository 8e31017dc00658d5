import { inspect, types } from 'node:util';

/** Returns true if reading these properties cannot run foreign code: the object is not a proxy, and none of the properties is a getter. */
export function isPlain(object: object, names: readonly (string | symbol)[]): boolean {
  return names.every((name) => {
    for (let holder: object | null = object; holder !== null; holder = Object.getPrototypeOf(holder)) {
      if (types.isProxy(holder)) return false;
      const property = Object.getOwnPropertyDescriptor(holder, name);
      if (property !== undefined) return 'value' in property;
    }
    return true;
  });
}

/** Returns true for every error, also one of another realm (`node:vm`, Jest) and a DOMException. Never throws and runs no foreign code. */
export function isError(value: unknown): value is Error {
  if (types.isNativeError(value)) return true;
  if (typeof value !== 'object') return false;
  for (let holder: object | null = value; holder !== null; holder = Object.getPrototypeOf(holder)) {
    if (types.isProxy(holder)) return false;
    if (holder === Error.prototype || holder === DOMException.prototype) return true;
  }
  return false;
}

/** Returns true for a DOMException as the platform creates it, such as that of `AbortSignal.timeout`. Its getters are not foreign code. */
export function isDomException(value: object): value is DOMException {
  if (types.isProxy(value) || Object.getPrototypeOf(value) !== DOMException.prototype) return false;
  return !Object.hasOwn(value, 'name') && !Object.hasOwn(value, 'message');
}

/** Text properties of an error that are replaced in a copy. */
interface ErrorTexts {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: unknown;
}

/** Returns an error that differs from another one only in these texts. The other fields are read from the original. */
export function withTexts(error: Error, texts: ErrorTexts): Error {
  const hidden = Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      { value, enumerable: false, writable: true, configurable: true },
    ]),
  );
  if (!isDomException(error)) return Object.create(error, hidden) as Error;
  // The getters of a DOMException fail on any other object.
  const { name, code } = error;
  return Object.create(Error.prototype, {
    ...hidden,
    name: { value: name },
    code: { value: code, enumerable: true },
  }) as Error;
}

const MAX_STACK_LENGTH = 16 * 1024;

/** Returns the stack with those of the causes and of aggregated errors, in about 16 kB. Never throws, although reading it may run code of the job. */
export function stackWithCauses(error: unknown): string {
  const seen = new Set<unknown>();
  let text = '';
  const add = (thrown: unknown, prefix: string): void => {
    if (seen.has(thrown) || text.length >= MAX_STACK_LENGTH) return;
    seen.add(thrown);
    if (!isError(thrown)) {
      const described = describeThrown(thrown);
      if (!text.includes(described)) text += prefix + described;
      return;
    }
    text += prefix + (textOf(thrown, 'stack') || textOf(thrown, 'message')).slice(0, MAX_STACK_LENGTH);
    const { cause, errors } = thrown as { readonly cause?: unknown; readonly errors?: unknown };
    if (Array.isArray(errors)) for (const each of errors) add(each, '\nOne of: ');
    if (cause !== undefined) add(cause, '\nCaused by: ');
  };
  try {
    add(error, '');
  } catch {
    // Reading a property threw: use the text collected so far.
  }
  return text;
}

/** Returns a text property of an error or another object. Returns an empty string if the property is not a string or cannot be read. */
export function textOf(error: object, property: 'message' | 'name' | 'stack'): string {
  try {
    const text = (error as Readonly<Record<string, unknown>>)[property];
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}

const MAX_DESCRIPTION = 1_000;

/** Describes any value by its message, or else by its contents instead of `[object Object]`. Never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    if (typeof thrown !== 'object' || thrown === null) return String(thrown);
    const { message } = thrown as { readonly message?: unknown };
    if (typeof message === 'string') return message;
    return inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, MAX_DESCRIPTION);
  } catch {
    return 'a thrown value that cannot be printed'; // an object without `toString`, a proxy, or one with a getter that throws
  }
}
