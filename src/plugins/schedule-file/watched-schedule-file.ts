import type { PluginHost } from '../../api/plugin';
import { SchedulerError, toError } from '../../base/errors';
import { readDocument } from '../../config/read-document';
import type { SourceDocument } from '../../config/source-document';
import type { ScheduleOutcome } from '../../domain/schedule-change';
import type { Schedule } from './parse-schedule-file';

/** What a file asks for that has not been applied yet. */
export interface PendingSchedule extends Schedule {
  readonly content: string;
}

/** One schedule file, and what of it the scheduler has been told. */
export class WatchedScheduleFile {
  readonly #file: string;
  readonly #failOnFileNotFound: boolean;
  /** The content last applied, as data: comments and blanks do not count. */
  #applied: string | null = null;
  #reported: string | null = null;

  constructor(file: string, options: { readonly failOnFileNotFound: boolean }) {
    this.#file = file;
    this.#failOnFileNotFound = options.failOnFileNotFound;
  }

  /** What there is to apply; null when nothing has changed. Rejects with ConfigurationError when the file is wrong. */
  async read({ clock, timeZone, timeZoneDefaulted }: PluginHost): Promise<PendingSchedule | null> {
    const document = await this.#document();
    if (document === null) return null;
    const content = JSON.stringify(document.data);
    if (content === this.#applied) return null;
    // Loaded when needed: a program that imports the plugin and names no file does not pay for the schema.
    const { readSchedule } = await import('./parse-schedule-file');
    return { content, ...readSchedule(document, { timeZone, timeZoneDefaulted, now: clock.now() }) };
  }

  /** Applies all of it, or nothing: then it rejects. */
  async apply(host: PluginHost, { content, changes, placed }: PendingSchedule): Promise<void> {
    const outcomes = await host.applySchedule(changes).catch((thrown: unknown) => {
      throw thrown instanceof SchedulerError ? placed(thrown) : thrown;
    });
    this.#applied = content;
    host.publish({ type: 'scheduleFileApplied', at: host.clock.now(), file: this.#file, ...countsOf(outcomes) });
  }

  /** Looks whether the file has changed, and applies it. A problem is a `schedulerError`, once; the next scan tries again. */
  async scan(host: PluginHost): Promise<void> {
    try {
      const pending = await this.read(host);
      if (pending !== null) await this.apply(host, pending);
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
