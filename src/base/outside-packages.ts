import { join } from 'node:path';

/**
 * Returns the files from which optional packages are resolved. Packages with binaries or thread programs are optional, because they cannot be
 * bundled. The files are this file, the started program, and the working directory. Bundled code has no file of its own and uses only the last two.
 */
export function lookedForFrom(): readonly [string, ...string[]] {
  const workingFolder = join(process.cwd(), 'package.json');
  const program = process.argv[1];
  const places = program === undefined ? [workingFolder] : [program, workingFolder];
  return typeof __filename === 'string' ? [__filename, ...places] : (places as [string, ...string[]]);
}
