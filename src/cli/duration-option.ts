import { InvalidArgumentError } from 'commander';
import { parseDuration } from './parse-duration';

/** Parses a duration option to milliseconds. Throws commander's InvalidArgumentError for an invalid duration. */
export function durationOption(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  throw new InvalidArgumentError('Expected a duration such as 500ms, 30s, 5m, 1h30m or PT30S.');
}
