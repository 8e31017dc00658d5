import { inspect } from 'node:util';

/** `{jobName}`, `{0}`, or as Java writes formats: `{2, date, HH:mm:ss}` (the format is not followed: times are ISO). */
const PLACEHOLDER = /\{(\w+)(?:,[^{}]*)?\}/g;

/** Fills the placeholders of a text: by name, or by position among the fields. What is not known stays as it is. */
export function formatMessage(message: string, fields: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(fields);
  return message.replace(PLACEHOLDER, (placeholder, word: string) => {
    const name = /^\d+$/.test(word) ? names[Number(word)] : word;
    return name !== undefined && Object.hasOwn(fields, name) ? textOf(fields[name]) : placeholder;
  });
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? inspect(value, { breakLength: Number.POSITIVE_INFINITY }) : String(value);
}
