import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkOptions } from '../domain/check-options';
import { invalidArgument } from '../domain/check-text';
import type { JobData } from '../domain/job-data';
import type { JobKey, TriggerKey } from '../domain/keys';
import type { JobResult } from './job-report';
import type { JobSchema, JobUpgrade } from './job-schema';
import type { JobExecutionContext, JobObject } from './scheduler';

/** Options of `workerJob`. */
export interface WorkerJobOptions<Data extends JobData = JobData> {
  /**
   * Memory limit of the thread for JavaScript objects, in megabytes: a whole number from 16 to 1,048,576. A run that exceeds the limit fails,
   * without effect on other runs. Default: Node's limit for a thread.
   */
  readonly memoryMb?: number;
  /** Schema of the job's data, like `schema` of a job object. Default: any data. */
  readonly schema?: JobSchema<Data>;
  /** Version of the job's data, from 1 (default), like `version` of a job object. */
  readonly version?: number;
  /** Converts data of an older version (from 1) to this version. Runs in the main thread. Default: no conversion. */
  readonly upgrade?: JobUpgrade;
}

/**
 * Context of a job that runs in its own thread: a copy of the main fields of `JobExecutionContext`. Has the keys of the job and the trigger, and no
 * scheduler.
 */
export interface WorkerJobContext<Data extends JobData = JobData>
  extends Pick<
    JobExecutionContext<Data>,
    | 'data'
    | 'runId'
    | 'occurrenceId'
    | 'attempt'
    | 'refireCount'
    | 'fireTime'
    | 'scheduledFireTime'
    | 'firstDueTime'
    | 'previousFireTime'
    | 'nextFireTime'
    | 'isRecovering'
    | 'resumeFrom'
    | 'signal'
    | 'log'
    | 'report'
    | 'progress'
    | 'checkpoint'
  > {
  /** Job that runs. */
  readonly jobKey: JobKey;
  /** Trigger that fired. */
  readonly triggerKey: TriggerKey;
}

/** Function that a job file exports as default, or as `module.exports`. */
export type WorkerJobFunction<Data extends JobData = JobData> = (context: WorkerJobContext<Data>) => JobResult;

/** File that a job runs in its own thread. */
export interface JobFile {
  readonly url: string;
  /** Memory limit in megabytes. Null: Node's limit for a thread. */
  readonly memoryMb: number | null;
}

/** Key of the function in a job's context that runs a file in a thread. A symbol that all copies of this package share. */
export const RUN_IN_THREAD: unique symbol = Symbol.for('quartz-ts.runInThread') as never;

const OPTIONS = { memoryMb: true, schema: true, version: true, upgrade: true } as const;

const MIN_MEMORY_MB = 16;
const MAX_MEMORY_MB = 1_048_576;

/**
 * Creates a job that runs a file in its own thread, so that CPU-bound code does not block other jobs. Register the returned job like any other. The
 * thread is terminated if the job does not end within its `timeout` and grace period.
 *
 * `file`: `new URL('./resize.js', import.meta.url)`, or an absolute path. The file's default export is `async (context) => …`. Throws
 * INVALID_ARGUMENT if the file does not exist or an option is invalid.
 */
export function workerJob<Data extends JobData = JobData>(
  file: string | URL,
  options: WorkerJobOptions<Data> = {},
): JobObject<Data> {
  const { memoryMb = null, schema, version, upgrade } = checkOptions(options, OPTIONS);
  const jobFile: JobFile = Object.freeze({ url: urlOf(file), memoryMb: checkMemory(memoryMb) });
  const execute = (context: JobExecutionContext): Promise<unknown> => {
    const run = (context as Partial<Record<typeof RUN_IN_THREAD, (file: JobFile) => Promise<unknown>>>)[RUN_IN_THREAD];
    if (typeof run === 'function') return run.call(context, jobFile);
    throw invalidArgument('the context that the scheduler passes to the job', context);
  };
  return {
    execute,
    ...(schema === undefined ? {} : { schema }),
    ...(version === undefined ? {} : { version }),
    ...(upgrade === undefined ? {} : { upgrade }),
  };
}

function urlOf(file: unknown): string {
  const EXPECTED =
    "a file: URL such as new URL('./resize.js', import.meta.url), or an absolute path, as the file of workerJob";
  const text =
    file instanceof URL || (typeof file === 'object' && file !== null && 'href' in file) ? String(file) : file;
  if (typeof text !== 'string') throw invalidArgument(EXPECTED, file);
  if (!text.startsWith('file:') && !isAbsolute(text)) throw invalidArgument(EXPECTED, text);
  const url = text.startsWith('file:') ? text : pathToFileURL(text).href;
  if (exists(url)) return url;
  throw invalidArgument('an existing file as the file of workerJob', text);
}

function exists(url: string): boolean {
  try {
    return existsSync(fileURLToPath(url));
  } catch {
    return false; // The URL names another host, or contains characters that a path cannot have.
  }
}

function checkMemory(memoryMb: unknown): number | null {
  if (memoryMb === null) return null;
  const isFine =
    Number.isInteger(memoryMb) && (memoryMb as number) >= MIN_MEMORY_MB && (memoryMb as number) <= MAX_MEMORY_MB;
  if (isFine) return memoryMb as number;
  throw invalidArgument(`a whole number of megabytes from ${MIN_MEMORY_MB} to ${MAX_MEMORY_MB} as memoryMb`, memoryMb);
}
