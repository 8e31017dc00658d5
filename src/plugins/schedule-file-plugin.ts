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

/** The settings of the plugin, in Quartz's words. */
export interface ScheduleFileSettings {
  /** Default `scheduleFile`. */
  readonly name?: string;
  /** One file or several, YAML or JSON; relative to the working directory. */
  readonly fileNames: string | readonly string[];
  /** Seconds between two looks whether a file has changed; 0 (the default) reads the files once. */
  readonly scanInterval?: number;
  /** Whether a missing file is an error (the default) or an empty one. */
  readonly failOnFileNotFound?: boolean;
}

/**
 * Jobs, triggers and calendars from schedule files. Each file is applied as one unit before the scheduler fires; `start`
 * rejects with every problem of every file when one is wrong. A file that changes later is applied again; if it is wrong
 * then, nothing changes and a `schedulerError` says why. Throws INVALID_ARGUMENT for wrong settings.
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
          if (isFirst) return false; // an interval lies between two looks
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

/** Reads all files before it applies any. */
async function applyAll(files: readonly WatchedScheduleFile[], host: PluginHost): Promise<void> {
  const readings = await Promise.allSettled(files.map((file) => file.read(host)));
  const failures: readonly unknown[] = readings.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw combined(failures);
  for (const [index, reading] of readings.entries()) {
    const pending = reading.status === 'fulfilled' ? reading.value : null;
    if (pending !== null) await files[index]?.apply(host, pending, namedIn(files));
  }
}

/** The triggers that the files name, each as it was read last: what moves from one to another is not deleted on its way. */
function namedIn(files: readonly WatchedScheduleFile[]): readonly TriggerKey[] {
  return files.flatMap(({ latest }) => (latest === null ? [] : triggersNamedIn(latest.changes)));
}

/** The problems of several files as one error; anything unexpected as it is. */
function combined(failures: readonly unknown[]): unknown {
  const [first] = failures;
  const isExpected = failures.every((failure) => failure instanceof ConfigurationError);
  return failures.length === 1 || !isExpected
    ? first
    : new ConfigurationError(failures.flatMap(({ problems }) => problems));
}

const OPTIONS = { name: true, fileNames: true, scanInterval: true, failOnFileNotFound: true } as const;

/** Likelier meant than `name`, which is as near. */
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

/** What a file asks for that has not been applied yet. */
interface PendingSchedule extends Schedule {
  readonly content: string;
}

/** One schedule file, and what of it has been applied. */
class WatchedScheduleFile {
  readonly #file: string;
  readonly #failOnFileNotFound: boolean;
  /** The content last applied, as data: comments and blanks do not count. */
  #applied: string | null = null;
  #reported: string | null = null;
  #latest: Schedule | null = null;

  constructor(file: string, failOnFileNotFound: boolean) {
    this.#file = file;
    this.#failOnFileNotFound = failOnFileNotFound;
  }

  /** What it said when it was read last without a problem. */
  get latest(): Schedule | null {
    return this.#latest;
  }

  /** What there is to apply; null when nothing has changed. Rejects with ConfigurationError when the file is wrong. */
  async read({ clock, timeZone, timeZoneDefaulted }: PluginHost): Promise<PendingSchedule | null> {
    const document = await this.#document();
    if (document === null) return null;
    const content = JSON.stringify(document.data);
    if (content === this.#applied) return null;
    // Loaded when needed: a program that imports the plugin and names no file does not pay for the schema.
    const { readSchedule } = await import('../definitions/parse-schedule-file');
    const schedule = readSchedule(document, { timeZone, timeZoneDefaulted, now: clock.now() });
    this.#latest = schedule;
    return { content, ...schedule };
  }

  /** Applies all of it, or nothing: then it rejects. `namedElsewhere`: what is named by the files that are read together. */
  async apply(host: PluginHost, pending: PendingSchedule, namedElsewhere: readonly TriggerKey[]): Promise<void> {
    const { content, changes, declared, placed } = pending;
    const outcomes = await host.applySchedule(changes, { ...declared, namedElsewhere }).catch((thrown: unknown) => {
      throw thrown instanceof SchedulerError ? placed(thrown) : thrown;
    });
    this.#applied = content;
    host.publish({ type: 'scheduleFileApplied', at: host.clock.now(), file: this.#file, ...countsOf(outcomes) });
  }

  /** Applies the file if it has changed. A problem is a `schedulerError`, once; the next scan tries again. */
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
