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

/**
 * Loads a package from this package, or if it cannot, from the first of the other `roots` that resolves it. Throws the error of the first attempt if none
 * does. `createRequire` is not imported, because a bundler would then try to bundle the package.
 */
export function requireOutside(name: string, roots: readonly string[] = resolutionRoots()): unknown {
  const { createRequire } = process.getBuiltinModule('node:module');
  const [first = '', ...others] = roots;
  try {
    return createRequire(first)(name);
  } catch (error) {
    const found = others.find((place) => canResolve(createRequire(place), name));
    if (found === undefined) throw error;
    return createRequire(found)(name);
  }
}

function canResolve({ resolve }: NodeJS.Require, name: string): boolean {
  try {
    return resolve(name) !== '';
  } catch {
    return false;
  }
}

/** Returns why a package could not be loaded: the first line of the error, or null if the package is missing. */
export function faultOfPackage(name: string, error: unknown): string | null {
  const reason = String((error as { readonly message?: unknown } | null)?.message ?? error).split('\n')[0] ?? '';
  return reason.startsWith(`Cannot find module '${name}'`) ? null : reason;
}
