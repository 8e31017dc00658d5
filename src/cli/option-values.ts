import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../domain/time/duration';

/** Parses the value of a port option, 0 to 65535. Throws commander's InvalidArgumentError for any other text. */
export function portOption(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}

/** Parses a duration option to milliseconds. Throws commander's InvalidArgumentError for an invalid duration. */
export function durationOption(text: string): number {
  const duration = Math.round(parseDuration(text));
  if (duration > 0 && duration < Number.POSITIVE_INFINITY) return duration;
  throw new InvalidArgumentError('Expected a duration such as 500ms, 30s, 5m, 1h30m or PT30S.');
}

/** Returns a parser for whole numbers from `min` to `max`. It throws commander's InvalidArgumentError for any other text. */
export function wholeNumberOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}
