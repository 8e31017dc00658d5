import { describeValue } from '../check-text';
import { CronSyntaxError } from './cron-syntax-error';

/** Maximum length of an expression in characters: the width of the database column. Also limits the cost of parsing. */
const MAX_LENGTH = 120;

export interface CronText {
  readonly text: string;
  /** Offset within the whole expression, from 0. */
  readonly position: number;
}

/** Splits at spaces and tabs and removes control characters, as Quartz does. Throws CronSyntaxError if it is no string or too long for its column. */
export function splitFields(expression: string): CronText[] {
  if (typeof expression !== 'string')
    throw faultOf(describeValue(expression), `expected a string, found ${describeValue(expression)}.`);
  if (expression.length > MAX_LENGTH)
    throw faultOf(expression, `expected at most ${MAX_LENGTH} characters, found ${expression.length}.`);
  return split(expression, /[^ \t]+/g, 0).map(({ text, position }) => {
    const start = text.search(/[^\0- ]/);
    return start < 0
      ? { text: '', position }
      : { text: text.slice(start).replace(/[\0- ]+$/, ''), position: position + start };
  });
}

/** Splits a field into its items. As in Quartz, empty items are ignored. */
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
