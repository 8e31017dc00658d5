import { join } from 'node:path';

/**
 * Returns the files from which optional packages are resolved: this file, the main script of the program, and `package.json` in the working directory.
 * These packages cannot be bundled, because they contain binaries or the entry files of threads. In a bundled ES module `__filename` is undefined, so
 * this file is omitted.
 */
export function resolutionRoots(): readonly [string, ...string[]] {
  const workingFolder = join(process.cwd(), 'package.json');
  const program = process.argv[1];
  const places = program === undefined ? [workingFolder] : [program, workingFolder];
  return typeof __filename === 'string' ? [__filename, ...places] : (places as [string, ...string[]]);
}
