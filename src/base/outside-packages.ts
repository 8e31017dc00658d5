import { join } from 'node:path';

/**
 * Returns the files from which optional packages are resolved that a bundle cannot include, because they contain binaries or programs for threads:
 * this file, the started program, and `package.json` in the working directory. Bundled ES modules have no file name of their own, so this file is
 * then omitted.
 */
export function resolutionRoots(): readonly [string, ...string[]] {
  const workingFolder = join(process.cwd(), 'package.json');
  const program = process.argv[1];
  const places = program === undefined ? [workingFolder] : [program, workingFolder];
  return typeof __filename === 'string' ? [__filename, ...places] : (places as [string, ...string[]]);
}
