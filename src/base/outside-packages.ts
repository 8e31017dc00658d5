import { join } from 'node:path';

/**
 * Returns the files from which optional packages are resolved: this file, the started program, and the working directory. Packages with binaries or
 * thread programs stay outside of bundles. Bundled code has no file of its own, so the first of the three is then omitted.
 */
export function resolutionRoots(): readonly [string, ...string[]] {
  const workingFolder = join(process.cwd(), 'package.json');
  const program = process.argv[1];
  const places = program === undefined ? [workingFolder] : [program, workingFolder];
  return typeof __filename === 'string' ? [__filename, ...places] : (places as [string, ...string[]]);
}
