import { join } from 'node:path';

/**
 * Returns the files from which optional packages are resolved: this file, the started program, and `package.json` in the working directory. A bundle
 * cannot include these packages, because they contain binaries or files that threads start from. In a bundled ES module, this file has no name and
 * is omitted.
 */
export function resolutionRoots(): readonly [string, ...string[]] {
  const workingFolder = join(process.cwd(), 'package.json');
  const program = process.argv[1];
  const places = program === undefined ? [workingFolder] : [program, workingFolder];
  return typeof __filename === 'string' ? [__filename, ...places] : (places as [string, ...string[]]);
}
