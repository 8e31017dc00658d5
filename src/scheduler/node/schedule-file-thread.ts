import { SchedulerError, toError } from '../../base/errors';
import { ConfigurationError, type Problem } from '../../config/problem';
import { parseScheduleFile, type Schedule } from '../../definitions/parse-schedule-file';
import type { ScheduleDefaults } from '../../definitions/schedule-file-reading';
import type { ChangeSet } from '../../domain/schedule-change';

export interface ScheduleFileThread {
  read(text: string, file: string, defaults: ScheduleDefaults, maxEntries: number | undefined): Promise<ReadingAnswer>;
  changes(from: number, to: number): Promise<ChangeSet>;
  place(refusal: SchedulerError['message'], code: SchedulerError['code']): Promise<string>;
}

type ReadingAnswer =
  | { readonly problems: readonly Problem[] }
  | { readonly problems: null; readonly count: number; readonly declared: Schedule['declared'] };

export function scheduleFileThread(): ScheduleFileThread {
  let schedule: Schedule | null = null;
  return {
    async read(text, file, defaults, maxEntries) {
      try {
        schedule = await parseScheduleFile(text, file, defaults, maxEntries);
      } catch (error) {
        if (error instanceof ConfigurationError) return { problems: error.problems };
        throw toError(error);
      }
      return { problems: null, count: schedule.changes.length, declared: schedule.declared };
    },
    changes: async (from, to) => schedule?.changes.slice(from, to) ?? [],
    place: async (message, code) => schedule?.placed(new SchedulerError(code, message)).message ?? message,
  };
}
