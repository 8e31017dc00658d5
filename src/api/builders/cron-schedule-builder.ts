import { invalidArgument, unmet } from '../../domain/check-text';
import { CronExpression, type CronExpressionOptions, plainCron } from '../../domain/cron/cron-expression';
import { splitFields } from '../../domain/cron/split-cron';
import { firstSpread } from '../../domain/cron/spread';
import { type TriggerKey, triggerKey } from '../../domain/keys';
import type { CronMistake } from '../cron-literal';
import type { Inferred } from '../schedule-mistakes';
import type { CronTrigger } from '../trigger';
import { checkOneOf, checkWhole } from './check-arguments';
import { type ScheduleBuilder, type ScheduleOf, WallClockSchedule } from './schedule-builder';
import { checkTimeOfDay } from './time-of-day';

/** Schedule that fires at the times of a cron expression: `cronSchedule('0 0 6 ? * MON-FRI')`. */
export class CronScheduleBuilder extends WallClockSchedule implements ScheduleBuilder<CronTrigger> {
  readonly #expressionFor: (key: TriggerKey | undefined) => string;

  /** `expression`: a valid expression in the Quartz dialect, or a function that returns one for the trigger's key. */
  constructor(expression: string | ((key: TriggerKey | undefined) => string), timeZone: string | null = null) {
    super();
    this.#expressionFor = typeof expression === 'string' ? () => expression : expression;
    this.timeZone = timeZone;
  }

  /** Builds the schedule. Throws CRON_SYNTAX if the expression contains `H` and no key is given. */
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
 * Returns a builder of a schedule that fires at the times of a cron expression. The dialect `quartz` (default) has six or seven fields, from seconds
 * to years. The dialect `unix` has five fields, as in a crontab, or six with seconds first, and is translated. A CronExpression also sets the time
 * zone.
 *
 * `H` is replaced by a value derived from the trigger's key when the trigger is built. Set an identity: without it, the trigger's name is random, so
 * `H` gets another value each time. Throws CronSyntaxError (CRON_SYNTAX) for an invalid expression.
 */
export function cronSchedule<Expression extends string | CronExpression, Dialect extends 'quartz' | 'unix' = 'quartz'>(
  expression: Inferred<Expression, CheckedCron<Expression, Dialect>>,
  options?: { readonly dialect?: Dialect },
): CronScheduleBuilder;
export function cronSchedule(
  expression: string | CronExpression,
  { dialect = 'quartz' }: { readonly dialect?: 'quartz' | 'unix' } = {},
): CronScheduleBuilder {
  if (expression instanceof CronExpression) {
    return new CronScheduleBuilder(expression.cronExpression, expression.timeZone);
  }
  if (typeof expression !== 'string') throw invalidArgument('a cron expression', expression);
  checkOneOf(dialect, 'dialect', ['quartz', 'unix']);
  // Validates with a placeholder key, so that an invalid expression fails here and not later in `build`.
  const checked = strictCron(expression, { dialect, key: ANY_KEY });
  if (firstSpread(splitFields(expression)) < 0) return new CronScheduleBuilder(checked);
  return new CronScheduleBuilder((key) => strictCron(expression, key === undefined ? { dialect } : { dialect, key }));
}

/** The expression, or a message about its first mistake. */
type CheckedCron<Expression, Dialect> = [CronMistake<Expression, Dialect>] extends [never]
  ? Expression
  : CronMistake<Expression, Dialect>;

const ANY_KEY = triggerKey('any');

/** Checks an expression against the strict grammar and translates it to the Quartz dialect. Only stored expressions are parsed as leniently as by Quartz. */
export function strictCron(expression: string, options: CronExpressionOptions): string {
  const plain = plainCron(expression, options);
  CronExpression.validateExpression(plain);
  return plain.trim();
}

/**
 * Like `cronSchedule`, for expressions that were written for Quartz. Accepts every expression that Quartz accepts, even a malformed one, with the
 * same meaning. Throws CronSyntaxError (CRON_SYNTAX) if Quartz refuses the expression.
 */
export function cronScheduleNonvalidatedExpression(expression: string): CronScheduleBuilder {
  if (typeof expression !== 'string') throw invalidArgument('a cron expression', expression);
  CronExpression.validateExpression(expression, { lenient: true });
  return new CronScheduleBuilder(expression.trim());
}

/** Fires every day at the given time: hour 0–23, minute 0–59. Throws INVALID_ARGUMENT for any other value. */
export function dailyAtHourAndMinute(hour: number, minute: number): CronScheduleBuilder {
  return new CronScheduleBuilder(`0 ${minuteAndHour(hour, minute)} ? * *`);
}

/** Fires at hour 0–23 and minute 0–59 on the given days, 1 = Sunday … 7 = Saturday. Throws INVALID_ARGUMENT for other values or no day. */
export function atHourAndMinuteOnGivenDaysOfWeek(
  hour: number,
  minute: number,
  ...daysOfWeek: readonly number[]
): CronScheduleBuilder {
  if (daysOfWeek.length === 0) throw unmet('at least one day of the week, 1 (Sunday) to 7 (Saturday)', 'none');
  const days = daysOfWeek.map((day) => checkWhole(day, 'a day of the week', 1, 7));
  return new CronScheduleBuilder(`0 ${minuteAndHour(hour, minute)} ? * ${days.join(',')}`);
}

/** Fires every week on the given day (1 = Sunday … 7 = Saturday) and time (hour 0–23, minute 0–59). Throws INVALID_ARGUMENT for any other value. */
export function weeklyOnDayAndHourAndMinute(dayOfWeek: number, hour: number, minute: number): CronScheduleBuilder {
  return atHourAndMinuteOnGivenDaysOfWeek(hour, minute, dayOfWeek);
}

/** Fires every month on day 1–31 at hour 0–23, minute 0–59. Skips months without that day. Throws INVALID_ARGUMENT for any other value. */
export function monthlyOnDayAndHourAndMinute(dayOfMonth: number, hour: number, minute: number): CronScheduleBuilder {
  const day = checkWhole(dayOfMonth, 'the day of the month', 1, 31);
  return new CronScheduleBuilder(`0 ${minuteAndHour(hour, minute)} ${day} * ?`);
}

function minuteAndHour(hour: number, minute: number): string {
  checkTimeOfDay({ hour, minute, second: 0 });
  return `${minute} ${hour}`;
}
