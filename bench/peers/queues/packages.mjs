import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a package that is installed in a folder of the caller's; the project itself depends on none of the peers. */
export async function importFrom(folder, name) {
  const path = createRequire(join(resolve(folder), 'package.json')).resolve(name);
  const module = await import(pathToFileURL(path).href);
  return module.default !== undefined && typeof module.default === 'object' ? { ...module.default, ...module } : module;
}

/** Whether the package is installed there. */
export function isInstalled(folder, name) {
  try {
    createRequire(join(resolve(folder), 'package.json')).resolve(name);
    return true;
  } catch (error) {
    return error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
