import { InvalidArgumentError } from 'commander';

/** Parses the value of a port option, 0 to 65535. Throws commander's InvalidArgumentError for any other text. */
export function portOption(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}
