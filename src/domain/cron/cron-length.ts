import { describeValue } from '../check-text';
import { CronSyntaxError } from './cron-syntax-error';

/** The width of Quartz's column; a longer expression could not be stored. */
export const MAX_CRON_LENGTH = 120;

/** Throws CronSyntaxError unless given a string that a store can hold: the bound on all work that follows. */
export function checkCronText(expression: unknown): asserts expression is string {
  if (typeof expression !== 'string')
    refuse(describeValue(expression), `expected a string, found ${typeof expression}.`);
  else if (expression.length > MAX_CRON_LENGTH) {
    refuse(expression, `expected at most ${MAX_CRON_LENGTH} characters, found ${expression.length}.`);
  }
}

function refuse(expression: string, problem: string): never {
  throw new CronSyntaxError({ expression, field: null, position: 0, problem });
}
