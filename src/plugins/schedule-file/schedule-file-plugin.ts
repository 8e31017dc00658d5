import type { Plugin, PluginHost } from '../../api/plugin';
import { SchedulerError } from '../../base/errors';
import { PeriodicService } from '../../base/service';
import { ConfigurationError } from '../../config/problem';
import { WatchedScheduleFile } from './watched-schedule-file';

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
  return {
    name,
    install(given) {
      host = given;
    },
    async start() {
      if (host === null)
        throw new SchedulerError('SCHEDULER_STATE', `Install the plugin '${name}' before starting it.`);
      await applyAll(files, host);
      if (scanInterval === 0) return;
      scans ??= scansOf(files, host, { name, interval: scanInterval * SECOND });
      await scans.start();
    },
    async stop() {
      await scans?.stop();
    },
  };
}

const SECOND = 1_000;
const LONGEST_SCAN_INTERVAL = 86_400;

/** Reads all files before it applies any. */
async function applyAll(files: readonly WatchedScheduleFile[], host: PluginHost): Promise<void> {
  const readings = await Promise.allSettled(files.map((file) => file.read(host)));
  const failures: readonly unknown[] = readings.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw combined(failures);
  for (const [index, reading] of readings.entries()) {
    const pending = reading.status === 'fulfilled' ? reading.value : null;
    if (pending !== null) await files[index]?.apply(host, pending);
  }
}

/** The problems of several files as one error; anything unexpected as it is. */
function combined(failures: readonly unknown[]): unknown {
  const [first] = failures;
  const isExpected = failures.every((failure) => failure instanceof ConfigurationError);
  return failures.length === 1 || !isExpected
    ? first
    : new ConfigurationError(failures.flatMap(({ problems }) => problems));
}

function scansOf(
  files: readonly WatchedScheduleFile[],
  host: PluginHost,
  { name, interval }: { readonly name: string; readonly interval: number },
): PeriodicService {
  return new PeriodicService(`scan of ${name}`, {
    clock: host.clock,
    interval,
    async runOnce() {
      for (const file of files) await file.scan(host);
      return false;
    },
  });
}

function readSettings(settings: ScheduleFileSettings) {
  const { name = 'scheduleFile', fileNames, scanInterval = 0, failOnFileNotFound = true } = settings;
  const list = typeof fileNames === 'string' ? [fileNames] : fileNames;
  const areNames =
    Array.isArray(list) && list.length > 0 && list.every((each) => typeof each === 'string' && each !== '');
  if (!areNames) throw badSetting('fileNames', 'one or more file names', fileNames);
  const isInterval = Number.isInteger(scanInterval) && scanInterval >= 0 && scanInterval <= LONGEST_SCAN_INTERVAL;
  if (!isInterval) throw badSetting('scanInterval', `whole seconds from 0 to ${LONGEST_SCAN_INTERVAL}`, scanInterval);
  if (typeof failOnFileNotFound !== 'boolean') {
    throw badSetting('failOnFileNotFound', 'true or false', failOnFileNotFound);
  }
  const files = list.map((file) => new WatchedScheduleFile(file, { failOnFileNotFound }));
  return { name, files, scanInterval };
}

function badSetting(setting: string, expected: string, found: unknown): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected ${expected} as ${setting} of the schedule file plugin, found ${String(found)}.`,
  );
}
