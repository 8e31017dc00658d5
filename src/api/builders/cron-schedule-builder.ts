import { invalidArgument } from '../../domain/check-text';
import { CronExpression, type CronExpressionOptions, plainCron } from '../../domain/cron/cron-expression';
import { splitFields } from '../../domain/cron/split-cron';
import { firstSpread } from '../../domain/cron/spread';
import { type TriggerKey, triggerKey } from '../../domain/keys';
import type { CronTrigger } from '../trigger';
import { checkOneOf, checkWhole } from './check-arguments';
import { type ScheduleBuilder, type ScheduleOf, WallClockSchedule } from './schedule-builder';
import { checkTimeOfDay } from './time-of-day';

/** A schedule that fires at the times of a cron expression: `cronSchedule('0 0 6 ? * MON-FRI')`. */
export class CronScheduleBuilder extends WallClockSchedule implements ScheduleBuilder<CronTrigger> {
  readonly #expressionFor: (key: TriggerKey | undefined) => string;

  /** `expression`: a checked expression in Quartz's dialect, or a function that returns one for the trigger's key. */
  constructor(expression: string | ((key: TriggerKey | undefined) => string), timeZone: string | null = null) {
    super();
    this.#expressionFor = typeof expression === 'string' ? () => expression : expression;
    this.timeZone = timeZone;
  }

  /** Builds the schedule. Throws CRON_SYNTAX for an expression with `H` if no key is given. */
  build(key?: TriggerKey): ScheduleOf<CronTrigger> {
    return {
      kind: 'CRON',
      cronExpression: this.#expressionFor(key),
      timeZone: this.timeZone,
      misfireInstruction: this.misfireInstruction,
    };
  }
}

/**
 * Fires at the times of a cron expression. Dialect `quartz` (default): six or seven fields, from seconds to years. Dialect `unix`: five
 * fields, as in a crontab, which are translated. `H` is drawn from the trigger's key when the trigger is built. Set an identity: a random
 * name draws another value each time. A CronExpression brings its own zone. Throws CronSyntaxError (CRON_SYNTAX).
 */
export function cronSchedule(
  expression: string | CronExpression,
  { dialect = 'quartz' }: { readonly dialect?: 'quartz' | 'unix' } = {},
): CronScheduleBuilder {
  if (expression instanceof CronExpression) {
    return new CronScheduleBuilder(expression.cronExpression, expression.timeZone);
  }
  if (typeof expression !== 'string') throw invalidArgument('a cron expression', expression);
  checkOneOf(dialect, 'dialect', ['quartz', 'unix']);
  // Checked with any key, so that a fault is reported at the line that contains the expression.
  const checked = checkedCron(expression, { dialect, key: ANY_KEY });
  if (firstSpread(splitFields(expression)) < 0) return new CronScheduleBuilder(checked);
  return new CronScheduleBuilder((key) => checkedCron(expression, key === undefined ? { dialect } : { dialect, key }));
}

const ANY_KEY = triggerKey('any');

function checkedCron(expression: string, options: CronExpressionOptions): string {
  const plain = plainCron(expression, options);
  CronExpression.validateExpression(plain);
  return plain.trim();
}

/**
 * Like `cronSchedule`, for expressions from other sources: accepts everything that Quartz accepts, with the same meaning, even if it is not
 * well-formed. Throws CronSyntaxError if Quartz would refuse it too.
 */
export function cronScheduleNonvalidatedExpression(expression: string): CronScheduleBuilder {
  if (typeof expression !== 'string') throw invalidArgument('a cron expression', expression);
  CronExpression.validateExpression(expression, { lenient: true });
  return new CronScheduleBuilder(expression.trim());
}

/** Fires every day at a time: hour 0–23, minute 0–59. Throws INVALID_ARGUMENT. */
export function dailyAtHourAndMinute(hour: number, minute: number): CronScheduleBuilder {
  return new CronScheduleBuilder(`0 ${minuteAndHour(hour, minute)} ? * *`);
}

/** Fires at a time (hour 0–23, minute 0–59) on the given days of the week: 1 = Sunday … 7 = Saturday. Throws INVALID_ARGUMENT. */
export function atHourAndMinuteOnGivenDaysOfWeek(
  hour: number,
  minute: number,
  ...daysOfWeek: readonly number[]
): CronScheduleBuilder {
  if (daysOfWeek.length === 0)
    throw invalidArgument('at least one day of the week, 1 (Sunday) to 7 (Saturday)', 'none');
  const days = daysOfWeek.map((day) => checkWhole(day, 'a day of the week', 1, 7));
  return new CronScheduleBuilder(`0 ${minuteAndHour(hour, minute)} ? * ${days.join(',')}`);
}

/** Fires once a week, on a day (1 = Sunday … 7 = Saturday) at a time (hour 0–23, minute 0–59). Throws INVALID_ARGUMENT. */
export function weeklyOnDayAndHourAndMinute(dayOfWeek: number, hour: number, minute: number): CronScheduleBuilder {
  return atHourAndMinuteOnGivenDaysOfWeek(hour, minute, dayOfWeek);
}

/** Fires once a month, on a day (1–31; shorter months are skipped) at a time (hour 0–23, minute 0–59). Throws INVALID_ARGUMENT. */
export function monthlyOnDayAndHourAndMinute(dayOfMonth: number, hour: number, minute: number): CronScheduleBuilder {
  const day = checkWhole(dayOfMonth, 'the day of the month', 1, 31);
  return new CronScheduleBuilder(`0 ${minuteAndHour(hour, minute)} ${day} * ?`);
}

function minuteAndHour(hour: number, minute: number): string {
  checkTimeOfDay({ hour, minute, second: 0 });
  return `${minute} ${hour}`;
}
