import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Job, Jobs } from '../api/scheduler';
import { toError } from '../base/errors';
import { importModule } from '../base/import-module';
import { isRecord } from '../base/is-record';
import { CommandFailure } from './exit-codes';

/** Loads a module's job types: in `jobs`, the default export, or named exports. Rejects with CommandFailure if loading fails or finds none. */
export async function loadJobsModule(name: string, folder: string): Promise<Jobs> {
  const url = urlOf(name, folder);
  const exports = await orStuck(importModule(url)).catch((thrown: unknown) => {
    const cause = toError(thrown);
    const hint = /\.[cm]?tsx?$/.test(url) ? ' Compile it to JavaScript first.' : '';
    throw new CommandFailure('JOBS_MODULE', `The jobs module '${name}' cannot be loaded: ${cause.message}.${hint}`, {
      cause,
    });
  });
  return jobsOf(exports, name);
}

/** Rejects if the event loop has nothing left to do before the promise settles, because Node would end the process without a message. */
function orStuck<T>(loading: Promise<T>): Promise<T> {
  let rejectStuck = () => {};
  const stuck = new Promise<never>((_, reject) => {
    rejectStuck = () => reject(new Error('its top-level await never completes'));
  });
  process.once('beforeExit', rejectStuck);
  return Promise.race([loading, stuck]).finally(() => process.off('beforeExit', rejectStuck));
}

/** Returns the job types of a module. Throws CommandFailure if it exports none, or if its export `jobs` contains other values. */
export function jobsOf(exports: Readonly<Record<string, unknown>>, name: string): Jobs {
  const { default: main } = exports;
  if (isRecord(exports.jobs)) return checkJobs(exports.jobs, name);
  if (isRecord(main) && isRecord(main.jobs)) return checkJobs(main.jobs, name);
  // For CommonJS, the default export is the whole `module.exports`, which may also contain values other than jobs.
  const among = isRecord(main) && !isJob(main) ? main : exports;
  const named = Object.entries(among).filter(([key, value]) => !NOT_NAMES.includes(key) && isJob(value));
  if (named.length > 0) return Object.fromEntries(named) as Jobs;
  const found = typeof main === 'function' ? 'a function without a job type' : 'none';
  throw new CommandFailure(
    'JOBS_MODULE',
    `Expected '${name}' to export jobs, found ${found}. Export them by job type, such as: ` +
      "export const jobs = { 'send-report': async (context) => { … } };",
  );
}

/** Names that Node or a compiler adds to the exports of a CommonJS module. */
const NOT_NAMES: readonly string[] = ['default', 'module.exports', '__esModule'];

/** Checks the export `jobs`, in which every value must be a job. Throws CommandFailure otherwise. */
function checkJobs(jobs: Readonly<Record<string, unknown>>, name: string): Jobs {
  const types = Object.keys(jobs).filter((type) => type !== '__esModule');
  const wrong = types.filter((type) => !isJob(jobs[type]));
  if (types.length > 0 && wrong.length === 0) return Object.fromEntries(types.map((type) => [type, jobs[type] as Job]));
  const found = types.length === 0 ? 'no job types' : `other values as ${wrong.map((type) => `'${type}'`).join(', ')}`;
  throw new CommandFailure(
    'JOBS_MODULE',
    `Expected every job that '${name}' exports to be a function, a class or an object with execute(), found ${found}.`,
  );
}

function urlOf(name: string, folder: string): string {
  const file = resolve(folder, name);
  if (existsSync(file)) return pathToFileURL(file).href;
  try {
    return pathToFileURL(createRequire(resolve(folder, 'here.js')).resolve(name)).href;
  } catch (cause) {
    throw new CommandFailure(
      'JOBS_MODULE',
      `Expected a module at '${name}', found none. Check the path, which is relative to ${folder}.`,
      { cause },
    );
  }
}

function isJob(value: unknown): value is Job {
  return typeof value === 'function' || (isRecord(value) && typeof value.execute === 'function');
}
