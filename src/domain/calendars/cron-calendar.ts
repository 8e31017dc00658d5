import type { EpochMs } from '../../base/clock';
import { type CronExpression, cronExpressionOf } from '../cron/cron-expression';
import { CronSyntaxError } from '../cron/cron-syntax-error';
import { DEFAULT_RULES, type Rules } from '../rules';
import { clockShape, dateShape } from '../time/day-shape';
import type { CalendarData } from './calendar';
import { type CalendarOptions, ChainedCalendar, checkInstant, knownFields, readRules } from './chained-calendar';
import { describeField, expectField, InvalidCalendarError } from './invalid-calendar-error';

interface CronCalendarOptions extends CalendarOptions {
  /** Quartz cron expression that matches the excluded seconds. */
  readonly cronExpression: string;
  /** Accept all cron expressions that Quartz accepts, as for stored calendars. Default: false. */
  readonly lenient?: boolean;
  /** Rules of the scheduler (`scheduler.rules`). Default: `safe`. */
  readonly rules?: Rules;
}

/** Excludes the seconds that a cron expression matches. */
export class CronCalendar extends ChainedCalendar {
  /** Expression whose matching seconds are excluded. */
  readonly cronExpression: string;
  readonly #cron: CronExpression;

  /** Throws INVALID_CALENDAR if an option is invalid. */
  constructor(options: CronCalendarOptions) {
    super(knownFields(options, ['cronExpression', 'lenient', 'rules'], "{ cronExpression: '* * 0-7 ? * *' }"));
    // A caller without types may omit the options. The error then names the missing field.
    const { cronExpression, lenient = false, rules = DEFAULT_RULES } = options ?? {};
    this.#cron = readExpression(cronExpression, this.timeZone, { lenient, rules: readRules(rules) });
    this.cronExpression = cronExpression;
  }

  toJSON(): CalendarData {
    return { type: 'cron', cronExpression: this.cronExpression, ...this.common() };
  }

  protected override checkTime(time: EpochMs): void {
    checkInstant(time);
  }

  protected includes(time: EpochMs): boolean {
    return !this.#cron.isSatisfiedBy(time);
  }

  protected excludedUntil(time: EpochMs): EpochMs {
    return this.#cron.satisfiedUntil(time);
  }

  protected ownDayShape(day: EpochMs): string {
    return `${clockShape(this.zone, day)} ${dateShape(day, (date) => this.#cron.matchesDate(date))}`;
  }
}

function readExpression(
  expression: unknown,
  timeZone: string,
  options: { readonly lenient: boolean; readonly rules: Rules },
): CronExpression {
  expectField(typeof expression === 'string', expression, ['cronExpression'], 'a string');
  try {
    return cronExpressionOf(expression, timeZone, options);
  } catch (cause) {
    if (!(cause instanceof CronSyntaxError)) throw cause;
    const reason = cause.message.slice(cause.message.indexOf("': ") + 3);
    const found = `${describeField(expression)} (${reason.replace(/\.$/, '')})`;
    throw new InvalidCalendarError({ path: ['cronExpression'], expected: 'a cron expression', found }, { cause });
  }
}
