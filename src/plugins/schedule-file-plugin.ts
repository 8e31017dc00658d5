import type { Plugin, PluginHost } from '../api/plugin';
import { SchedulerError, toError } from '../base/errors';
import { PeriodicService } from '../base/service';
import { ConfigurationError } from '../config/problem';
import { readDocument } from '../config/read-document';
import type { SourceDocument } from '../config/source-document';
import type { Schedule } from '../definitions/parse-schedule-file';
import { checkOptions } from '../domain/check-options';
import { triggersNamedIn } from '../domain/declaration';
import type { TriggerKey } from '../domain/keys';
import type { ScheduleOutcome } from '../domain/schedule-change';

/** Settings of `scheduleFilePlugin`, with Quartz's names. */
export interface ScheduleFileSettings {
  /** Name of the plugin, for messages. Default: `scheduleFile`. */
  readonly name?: string;
  /** One or more files in YAML or JSON, relative to the working directory. */
  readonly fileNames: string | readonly string[];
  /** Interval between two checks for changed files, in seconds. Default: 0, which reads the files only once. */
  readonly scanInterval?: number;
  /** True if a missing file is an error, false if it counts as empty. Default: true. */
  readonly failOnFileNotFound?: boolean;
}

/**
 * Stores jobs, triggers and calendars from schedule files. Each file is applied atomically before the scheduler fires.
 * `start` rejects with the problems of all files if any file is invalid.
 *
 * A file that changes later is applied again. If it is invalid then, nothing changes, and a `schedulerError` reports
 * the reason. Throws INVALID_ARGUMENT for invalid settings.
 */
export function scheduleFilePlugin(settings: ScheduleFileSettings): Plugin {
  const { name, files, scanInterval } = readSettings(settings);
  let host: PluginHost | null = null;
  let scans: PeriodicService | null = null;
  let isJustRead = false;
  return {
    name,
    install(given) {
      host = given;
    },
    async start() {
      const installed = host;
      if (installed === null)
        throw new SchedulerError('SCHEDULER_STATE', `Install the plugin '${name}' before starting it.`);
      await applyAll(files, installed);
      if (scanInterval === 0) return;
      isJustRead = true;
      scans ??= new PeriodicService(`scan of ${name}`, {
        clock: installed.clock,
        interval: scanInterval * 1_000,
        async runOnce() {
          const isFirst = isJustRead;
          isJustRead = false;
          if (isFirst) return false; // wait one interval before the first check
          for (const file of files) await file.scan(installed, files);
          return false;
        },
      });
      await scans.start();
    },
    async stop() {
      await scans?.stop();
    },
  };
}

const MAX_SCAN_INTERVAL_SECONDS = 86_400;

/** Reads all files before it applies any of them. */
async function applyAll(files: readonly WatchedScheduleFile[], host: PluginHost): Promise<void> {
  const readings = await Promise.allSettled(files.map((file) => file.read(host)));
  const failures: readonly unknown[] = readings.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw combined(failures);
  for (const [index, reading] of readings.entries()) {
    const pending = reading.status === 'fulfilled' ? reading.value : null;
    if (pending !== null) await files[index]?.apply(host, pending, namedIn(files));
  }
}

/**
 * Returns the triggers that the files name, as of their last readings. A trigger that moves from one file to another is
 * thus not deleted in between.
 */
function namedIn(files: readonly WatchedScheduleFile[]): readonly TriggerKey[] {
  return files.flatMap(({ latest }) => (latest === null ? [] : triggersNamedIn(latest.changes)));
}

/** Combines the problems of several files into one error. An unexpected error is returned unchanged. */
function combined(failures: readonly unknown[]): unknown {
  const [first] = failures;
  const isExpected = failures.every((failure) => failure instanceof ConfigurationError);
  return failures.length === 1 || !isExpected
    ? first
    : new ConfigurationError(failures.flatMap(({ problems }) => problems));
}

const OPTIONS = { name: true, fileNames: true, scanInterval: true, failOnFileNotFound: true } as const;

/** Suggestions for misspelled settings, where the most similar name would be `name`. */
const OTHER_NAMES = { fileName: 'fileNames', file: 'fileNames', files: 'fileNames' } as const;

function readSettings(settings: ScheduleFileSettings) {
  const {
    name = 'scheduleFile',
    fileNames,
    scanInterval = 0,
    failOnFileNotFound = true,
  } = checkOptions(settings, OPTIONS, OTHER_NAMES);
  const list = typeof fileNames === 'string' ? [fileNames] : fileNames;
  const areNames =
    Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === 'string' && each !== '');
  if (!areNames) throw badSetting('fileNames', 'one or more file names', fileNames);
  const isInterval = Number.isInteger(scanInterval) && scanInterval >= 0 && scanInterval <= MAX_SCAN_INTERVAL_SECONDS;
  if (!isInterval)
    throw badSetting('scanInterval', `whole seconds from 0 to ${MAX_SCAN_INTERVAL_SECONDS}`, scanInterval);
  if (typeof failOnFileNotFound !== 'boolean') {
    throw badSetting('failOnFileNotFound', 'true or false', failOnFileNotFound);
  }
  const files = list.map((file) => new WatchedScheduleFile(file, failOnFileNotFound));
  return { name, files, scanInterval };
}

function badSetting(setting: string, expected: string, found: unknown): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected ${expected} as ${setting} of the schedule file plugin, found ${String(found)}.`,
  );
}

/** Content of a schedule file that was not applied yet. */
interface PendingSchedule extends Schedule {
  readonly content: string;
}

/** A schedule file, with the content that was applied from it. */
class WatchedScheduleFile {
  readonly #file: string;
  readonly #failOnFileNotFound: boolean;
  /** Content that was last applied, as JSON. Changes of comments and whitespace thus have no effect. */
  #applied: string | null = null;
  #reported: string | null = null;
  #latest: Schedule | null = null;

  constructor(file: string, failOnFileNotFound: boolean) {
    this.#file = file;
    this.#failOnFileNotFound = failOnFileNotFound;
  }

  /** Schedule from the last successful reading. */
  get latest(): Schedule | null {
    return this.#latest;
  }

  /**
   * Returns the schedule to apply; null if nothing has changed. Rejects with ConfigurationError if the file is invalid.
   */
  async read({ clock, timeZone, timeZoneDefaulted }: PluginHost): Promise<PendingSchedule | null> {
    const document = await this.#document();
    if (document === null) return null;
    const content = JSON.stringify(document.data);
    if (content === this.#applied) return null;
    // Imported on demand, so that programs that import the plugin but name no file do not load the schema.
    const { readSchedule } = await import('../definitions/parse-schedule-file');
    const schedule = readSchedule(document, { timeZone, timeZoneDefaulted, now: clock.now() });
    this.#latest = schedule;
    return { content, ...schedule };
  }

  /**
   * Applies the whole file, or nothing, and then rejects. `namedElsewhere` are the triggers that all files read
   * together name.
   */
  async apply(host: PluginHost, pending: PendingSchedule, namedElsewhere: readonly TriggerKey[]): Promise<void> {
    const { content, changes, declared, placed } = pending;
    const outcomes = await host.applySchedule(changes, { ...declared, namedElsewhere }).catch((thrown: unknown) => {
      throw thrown instanceof SchedulerError ? placed(thrown) : thrown;
    });
    this.#applied = content;
    host.publish({ type: 'scheduleFileApplied', at: host.clock.now(), file: this.#file, ...countsOf(outcomes) });
  }

  /** Applies the file if it has changed. Reports a problem once, as `schedulerError`. The next scan retries. */
  async scan(host: PluginHost, files: readonly WatchedScheduleFile[]): Promise<void> {
    try {
      const pending = await this.read(host);
      if (pending !== null) await this.apply(host, pending, namedIn(files));
      this.#reported = null;
    } catch (thrown) {
      const error = toError(thrown);
      if (error.message === this.#reported) return;
      this.#reported = error.message;
      host.publish({ type: 'schedulerError', at: host.clock.now(), during: `schedule file ${this.#file}`, error });
    }
  }

  async #document(): Promise<SourceDocument | null> {
    try {
      return await readDocument(this.#file);
    } catch (error) {
      if (isNotFound(error) && !this.#failOnFileNotFound) return null;
      throw error;
    }
  }
}

function isNotFound(error: unknown): boolean {
  const cause = toError(error).cause as Partial<NodeJS.ErrnoException> | undefined;
  return cause?.code === 'ENOENT';
}

function countsOf(outcomes: readonly ScheduleOutcome[]) {
  const count = (...statuses: readonly ScheduleOutcome['status'][]) =>
    outcomes.filter(({ status }) => statuses.includes(status)).length;
  return {
    created: count('created'),
    replaced: count('replaced'),
    unchanged: count('unchanged', 'kept', 'finished'),
    deleted: outcomes.reduce((sum, each) => sum + each.deletedJobs.length + each.deletedTriggers.length, 0),
  };
}
