import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { UsageError } from './options.mjs';

const HERE = fileURLToPath(new URL('../../', import.meta.url));
const PREFIX = 'build=';

/** Folder of the build that this process measures: `build=FOLDER` among its arguments. Default: this build. */
const folder = process.argv.find((argument) => argument.startsWith(PREFIX))?.slice(PREFIX.length);

const moduleOf = (folder) => resolve(folder, 'dist/index.mjs');

/** The absolute path of another build of the package. */
export function buildFolder(folder) {
  if (existsSync(moduleOf(folder))) return resolve(folder);
  throw new UsageError(`--against ${folder}: expected a folder with dist/index.mjs. Run npm run build there first.`);
}

export const { createScheduler, newJob, newTrigger } = await import(pathToFileURL(moduleOf(folder ?? HERE)).href);
