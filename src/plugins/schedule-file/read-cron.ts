import { CronExpression } from '../../domain/cron/cron-expression';
import type { TriggerContext } from './read-trigger-schedule';
import type { TriggerFields } from './schedule-file-schema';

/** A cron expression, in Quartz's dialect whichever it was written in; null, and the problem reported, otherwise. */
export function readCron(context: TriggerContext, cron: NonNullable<TriggerFields['cron']>): string | null {
  const { reading, path, zone } = context;
  const isText = typeof cron === 'string';
  const { expression, dialect = 'quartz' } = isText ? { expression: cron } : cron;
  return reading.attempt(
    isText ? [...path, 'cron'] : [...path, 'cron', 'expression'],
    () => new CronExpression(expression, { timeZone: zone.name, dialect }).cronExpression,
  );
}
