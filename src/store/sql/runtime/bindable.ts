import { isWellFormed } from '../../../domain/check-text';
import type { SqlValue } from './sql-driver';

/**
 * The value, if a driver may see it. Refused with a TypeError: arrays and objects (mysql2 silently turns them into JSON
 * text: `IN (?)` with `[1, 2]` then matches the row 0), `undefined` and booleans, numbers that are not finite or that a
 * double does not hold exactly, and text with a lone surrogate, which would come back as another one.
 */
export function bindable(value: unknown, what: string): SqlValue {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' && isWellFormed(value)) return value;
  if (typeof value === 'number' && isExact(value)) return value;
  throw new TypeError(`${what} must be text, an exact number, bytes or null; found ${describe(value)}.`);
}

const isExact = (value: number) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return 'text that is not valid Unicode';
  return typeof value === 'number' ? String(value) : typeof value;
}
