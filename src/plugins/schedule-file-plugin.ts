import type { Plugin, PluginHost } from '../api/plugin';
import { SchedulerError, toError } from '../base/errors';
import { PeriodicService } from '../base/service';
import { ConfigurationError } from '../config/problem';
import { readDocument } from '../config/read-document';
import type { SourceDocument } from '../config/source-document';
import type { Schedule } from '../definitions/parse-schedule-file';
import { checkOptions } from '../domain/check-options';
import { describeValue, unmet } from '../domain/check-text';
import { triggersNamedIn } from '../domain/declaration';
import type { TriggerKey } from '../domain/keys';
import { countsOf } from '../domain/schedule-change';

/** Options of `scheduleFilePlugin`, named as in Quartz. */
export interface ScheduleFileSettings {
  /** Name of the plugin, used in messages. Default: `scheduleFile`. */
  readonly name?: string;
  /** One or more YAML or JSON files. Relative paths start at the working directory. */
  readonly fileNames: string | readonly string[];
  /** Interval between two checks for changed files, in whole seconds from 0 to 86,400. Default: 0, which reads the files only at startup. */
  readonly scanInterval?: number;
  /** True: a missing file is an error. False: a missing file is skipped. Default: true. */
  readonly failOnFileNotFound?: boolean;
}

/**
 * Creates a plugin that stores jobs, triggers and calendars from schedule files. It applies all files before the first firing. If any file is
 * invalid, no file is applied, and `start` rejects with the problems of all files. Up to 200 changes of a file are applied all or nothing. More are
 * applied in portions, unless the file sets `atomic`.
 *
 * With `scanInterval`, a file is applied again after it has changed. If the changed file is invalid, nothing changes, and the reason is reported as
 * a `schedulerError`. Throws INVALID_ARGUMENT for invalid options.
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
          if (isFirst) return false; // the first check follows one interval after the start
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

/** Reads all files, then applies them one after another. If a file is invalid, rejects before any file is applied. */
async function applyAll(files: readonly WatchedScheduleFile[], host: PluginHost): Promise<void> {
  const readings = await Promise.allSettled(files.map((file) => file.read(host)));
  const failures: readonly unknown[] = readings.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw combined(failures);
  for (const [index, reading] of readings.entries()) {
    const pending = reading.status === 'fulfilled' ? reading.value : null;
    if (pending !== null) await files[index]?.apply(host, pending, namedIn(files));
  }
}

/** Returns the triggers that the last readings of all files contain. Thus a trigger that moves from one file to another is not deleted. */
function namedIn(files: readonly WatchedScheduleFile[]): readonly TriggerKey[] {
  return files.flatMap(({ latest }) => (latest === null ? [] : triggersNamedIn(latest.changes)));
}

/** Combines the problems of several files into one ConfigurationError. If there is any other error, returns the first error. */
function combined(failures: readonly unknown[]): unknown {
  const [first] = failures;
  const isExpected = failures.every((failure) => failure instanceof ConfigurationError);
  return failures.length === 1 || !isExpected
    ? first
    : new ConfigurationError(failures.flatMap(({ problems }) => problems));
}

const OPTIONS = { name: true, fileNames: true, scanInterval: true, failOnFileNotFound: true } as const;

/** Suggestions for unknown options whose most similar option would be `name`. */
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
    throw badSetting('scanInterval', `a whole number of seconds from 0 to ${MAX_SCAN_INTERVAL_SECONDS}`, scanInterval);
  if (typeof failOnFileNotFound !== 'boolean') {
    throw badSetting('failOnFileNotFound', 'true or false', failOnFileNotFound);
  }
  const files = list.map((file) => new WatchedScheduleFile(file, failOnFileNotFound));
  return { name, files, scanInterval };
}

function badSetting(setting: string, expected: string, found: unknown): SchedulerError {
  const isEmptyList = Array.isArray(found) && found.length === 0;
  return unmet(
    `${expected} as ${setting} of the schedule file plugin`,
    isEmptyList ? 'an empty list' : describeValue(found),
  );
}

interface PendingSchedule extends Schedule {
  readonly content: string;
}

class WatchedScheduleFile {
  readonly #file: string;
  readonly #failOnFileNotFound: boolean;
  /** Parsed content that was last applied, as JSON. Changes of comments or whitespace in the file do not affect it. */
  #applied: string | null = null;
  #reported: string | null = null;
  #latest: Schedule | null = null;

  constructor(file: string, failOnFileNotFound: boolean) {
    this.#file = file;
    this.#failOnFileNotFound = failOnFileNotFound;
  }

  /** Schedule from the last successful reading, or null if there was none. */
  get latest(): Schedule | null {
    return this.#latest;
  }

  /** Reads the file. Returns null if the content has not changed since it was applied. Rejects with ConfigurationError if it is invalid. */
  async read({ clock, timeZone, timeZoneDefaulted }: PluginHost): Promise<PendingSchedule | null> {
    const document = await this.#document();
    if (document === null) return null;
    const content = JSON.stringify(document.data);
    if (content === this.#applied) return null;
    // Imported on demand, so that the schema is not loaded unless a file is read.
    const { readSchedule } = await import('../definitions/parse-schedule-file');
    const schedule = readSchedule(document, { timeZone, timeZoneDefaulted, now: clock.now() });
    this.#latest = schedule;
    return { content, ...schedule };
  }

  /** Applies the schedule. Never deletes `namedElsewhere`, the triggers that any file contains. Rejects with the error of the first refusal. */
  async apply(host: PluginHost, pending: PendingSchedule, namedElsewhere: readonly TriggerKey[]): Promise<void> {
    const { content, changes, declared, placed } = pending;
    const outcomes = await host.applySchedule(changes, { ...declared, namedElsewhere }).catch((thrown: unknown) => {
      throw thrown instanceof SchedulerError ? placed(thrown) : thrown;
    });
    this.#applied = content;
    host.publish({ type: 'scheduleFileApplied', at: host.clock.now(), file: this.#file, ...countsOf(outcomes) });
  }

  /** Applies the file if changed. Never rejects: reports a problem as `schedulerError`, once until it changes, and retries at the next scan. */
  async scan(host: PluginHost, files: readonly WatchedScheduleFile[]): Promise<void> {
    try {
      const pending = await this.read(host);
      if (pending !== null) await this.apply(host, pending, namedIn(files));
      this.#reported = null;
    } catch (thrown) {
      const error = toError(thrown);
      if (error.message === this.#reported) return;
      this.#reported = error.message;
      host.publish({
        type: 'schedulerError',
        at: host.clock.now(),
        during: `applying the schedule file ${this.#file}`,
        error,
      });
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
