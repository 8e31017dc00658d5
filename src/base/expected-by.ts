import { z } from 'zod';

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map of keys',
  record: 'a map of keys',
  array: 'a list',
  null: 'no value',
};

/** Separator between keys. No key contains it. */
export const KEY_SEPARATOR = '\n';

/** Returns the words after "expected" in a message about an issue. Not used for a schema with its own `error`. */
export function expectedBy(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? `a value of type ${issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? `one of ${issue.options.join(', ')}` : 'another value';
    case 'unrecognized_keys':
      // zod passes on only the message, so the message contains the valid keys.
      return issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(KEY_SEPARATOR) : '';
    default:
      return 'another value';
  }
}

function bound(origin: string, comparison: string, limit: number | bigint): string {
  switch (origin) {
    case 'string':
      return limit === 1 && comparison === 'at least'
        ? 'a non-empty string'
        : `a string of ${comparison} ${limit} characters`;
    case 'array':
      return limit === 1 && comparison === 'at least' ? 'a non-empty list' : `a list of ${comparison} ${limit} values`;
    default:
      return `a number of ${comparison} ${limit}`;
  }
}
