import { describeValue } from '../check-text';
import { CronSyntaxError } from './cron-syntax-error';

/** Width of Quartz's column. It bounds all work that follows. */
const MAX_LENGTH = 120;

/** A piece of an expression, in upper case, and where it begins. */
export interface CronText {
  readonly text: string;
  /** Offset in the whole expression, counted from 0. */
  readonly position: number;
}

/**
 * Splits an expression into its fields. As in Quartz, only at blanks and tabs; control characters around a field are then dropped. Throws
 * CronSyntaxError for anything except a string that a store can hold.
 */
export function splitFields(expression: string): CronText[] {
  if (typeof expression !== 'string')
    throw faultOf(describeValue(expression), `expected a string, found ${typeof expression}.`);
  if (expression.length > MAX_LENGTH)
    throw faultOf(expression, `expected at most ${MAX_LENGTH} characters, found ${expression.length}.`);
  return split(expression, /[^ \t]+/g, 0).map(({ text, position }) => {
    const start = text.search(/[^\0- ]/);
    return start < 0
      ? { text: '', position }
      : { text: text.slice(start).replace(/[\0- ]+$/, ''), position: position + start };
  });
}

/** Splits a field into its items, and skips empty ones, as in Quartz. */
export function splitItems(field: CronText): CronText[] {
  return split(field.text, /[^,]+/g, field.position);
}

function split(text: string, piece: RegExp, offset: number): CronText[] {
  return Array.from(text.matchAll(piece), (match) => ({
    text: match[0].toUpperCase(),
    position: offset + match.index,
  }));
}

function faultOf(expression: string, problem: string): CronSyntaxError {
  return new CronSyntaxError({ expression, field: null, position: 0, problem });
}
