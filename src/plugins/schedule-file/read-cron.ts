import { SchedulerError } from '../../base/errors';
import { CronExpression } from '../../domain/cron/cron-expression';
import { CronSyntaxError } from '../../domain/cron/cron-syntax-error';
import type { TriggerContext } from './read-trigger-schedule';
import type { TriggerFields } from './schedule-file-schema';

/** A cron expression, in Quartz's dialect whichever it was written in; null, and the problem reported, otherwise. */
export function readCron(context: TriggerContext, cron: NonNullable<TriggerFields['cron']>): string | null {
  const { reading, path, zone } = context;
  const isText = typeof cron === 'string';
  const { expression, dialect = 'quartz' } = isText ? { expression: cron } : cron;
  return reading.attempt(isText ? [...path, 'cron'] : [...path, 'cron', 'expression'], () =>
    inWordsOfFiles(() => new CronExpression(expression, { timeZone: zone.name, dialect }).cronExpression),
  );
}

/** What the library calls an option of the constructor is a key here; there is none for lenient reading. */
function inWordsOfFiles<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CronSyntaxError)) throw error;
    const message = error.message
      .replace("pass { dialect: 'unix' }", "write { expression: '…', dialect: unix }")
      .replace(', or pass { lenient: true }', '');
    throw new SchedulerError(error.code, message, { cause: error });
  }
}
