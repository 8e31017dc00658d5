import { join } from 'node:path';

/**
 * Whose packages are looked at. A package with a binary, or with a program for a thread, cannot be part of a bundle, and code in a bundle
 * has no file of its own: then it is looked for from the program that was started, and from the working folder.
 */
export function lookedForFrom(): readonly [string, ...string[]] {
  const workingFolder = join(process.cwd(), 'package.json');
  const program = process.argv[1];
  const places = program === undefined ? [workingFolder] : [program, workingFolder];
  return typeof __filename === 'string' ? [__filename, ...places] : (places as [string, ...string[]]);
}
