import { Worker } from 'node:worker_threads';
import { badArgument, SchedulerError } from '../../base/errors';
import { addAll } from '../../base/lists';
import { ConfigurationError } from '../../config/problem';
import { parseScheduleFile, type Schedule } from '../../definitions/parse-schedule-file';
import type { ScheduleDefaults } from '../../definitions/schedule-file-reading';
import type { ScheduleChange } from '../../domain/schedule-change';
import { Connection } from '../../store/thread/connection';
import type { ScheduleFileThread } from './schedule-file-thread';
import { SCHEDULE_FILE_THREAD } from './store-node';
import { storeThreadProgram } from './store-thread-program';

/** A parsed schedule file. `placed` adds a position in the file to an error. */
export interface ReadSchedule extends Omit<Schedule, 'placed'> {
  readonly placed: (refusal: SchedulerError) => Promise<SchedulerError>;
  /** Ends the thread that parsed the file, if there is one. Until then, the thread keeps the positions of the entries in memory. */
  readonly close: () => Promise<void>;
}

export interface ReadOptions {
  readonly defaults: ScheduleDefaults;
  /** Maximum number of jobs, triggers, calendars and commands in the file. Absent: no limit. */
  readonly maxEntries?: number;
  readonly signal: AbortSignal;
}

/** Maximum length of a file that is parsed in this thread, in UTF-16 code units. */
const MAX_TEXT_HERE = 8_192;

/** Number of changes per message from the thread. Each message is received in one turn of the event loop. */
const CHANGES_A_MESSAGE = 250;

/** Heap limit of the thread, in megabytes. The syntax tree of a file takes many times the memory of the file. */
const MAX_HEAP_MB = 1_024;

/**
 * Parses a schedule file. A file of more than 8,192 UTF-16 code units is parsed in a separate thread, so that parsing does not block this event loop.
 * Rejects with ConfigurationError if the file is invalid, and with INVALID_ARGUMENT if `signal` aborts or the thread runs out of memory. Rejects
 * before parsing any entry if the file has more than `maxEntries` entries.
 */
export async function readScheduleFile(text: string, file: string, options: ReadOptions): Promise<ReadSchedule> {
  const { defaults, maxEntries } = options;
  if (text.length > MAX_TEXT_HERE) return readInThread(text, file, options);
  const { placed, ...schedule } = await parseScheduleFile(text, file, defaults, maxEntries);
  return { ...schedule, placed: async (refusal) => placed(refusal), close: async () => undefined };
}

async function readInThread(
  text: string,
  file: string,
  { defaults, maxEntries, signal }: ReadOptions,
): Promise<ReadSchedule> {
  const worker = startThread();
  const connection = new Connection(worker, {});
  const close = async () => {
    connection.end(badArgument('Reading the schedule file was aborted.'));
    await worker.terminate();
  };
  const ended = (error: Error) => connection.end(unreadable(file, error));
  worker.on('error', ended);
  worker.on('exit', () => ended(new Error('its thread has ended')));
  signal.addEventListener('abort', () => void close(), { once: true });
  const thread = connection.remote<ScheduleFileThread>('file');
  try {
    const answer = await thread.read(text, file, defaults, maxEntries);
    if (answer.problems !== null) throw new ConfigurationError(answer.problems);
    const changes: ScheduleChange[] = [];
    while (changes.length < answer.count)
      addAll(changes, await thread.changes(changes.length, changes.length + CHANGES_A_MESSAGE));
    const placed = async (refusal: SchedulerError) =>
      new SchedulerError(refusal.code, await thread.place(refusal.message, refusal.code), { cause: refusal });
    return { changes, declared: answer.declared, placed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startThread(): Worker {
  const options = {
    workerData: { purpose: SCHEDULE_FILE_THREAD },
    name: 'quartz-ts schedule file',
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  };
  return 'code' in storeThreadProgram
    ? new Worker(storeThreadProgram.code, { ...options, eval: true, argv: process.argv.slice(1, 2) })
    : new Worker(storeThreadProgram.file, options);
}

function unreadable(file: string, error: Error): SchedulerError {
  const { code } = error as NodeJS.ErrnoException;
  const message =
    code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? `Expected a schedule file that can be read in ${MAX_HEAP_MB} MB of memory, found a larger one: ${file}. Split the file.`
      : `Reading the schedule file ${file} failed: ${error.message}.`;
  return new SchedulerError('INVALID_ARGUMENT', message, { cause: error });
}
