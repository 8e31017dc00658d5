import { DAY_MS, type EpochMs } from '../../base/clock';
import { DEFAULT_RULES, type Rules } from '../rules';
import { clockShape } from '../time/day-shape';
import { atTimeOfDay, dayOf, startOfDay } from '../time/wall-clock';
import type { CalendarData } from './calendar';
import { type CalendarOptions, ChainedCalendar, checkInstant, knownFields, readRules } from './chained-calendar';
import { expectField } from './invalid-calendar-error';

const UNITS = [3_600_000, 60_000, 1_000, 1];
const LIMITS = [24, 60, 60, 1_000];

/** Options of the daily calendar's constructor. Times: 'HH:MM', 'HH:MM:SS' or 'HH:MM:SS:mmm'. */
interface DailyCalendarOptions extends CalendarOptions {
  readonly from: string;
  /** Must be later than `from`. */
  readonly to: string;
  /** Exclude all times outside the range instead. Default: false. */
  readonly invert?: boolean;
  /** Rules of the scheduler (`scheduler.rules`). Default: `safe`. */
  readonly rules?: Rules;
}

/** Excludes a range of each day, including both ends. If inverted, excludes all times outside the range. */
export class DailyCalendar extends ChainedCalendar {
  /** Start of the range, as HH:MM[:SS[:mmm]]. */
  readonly from: string;
  /** End of the range, as HH:MM[:SS[:mmm]]. */
  readonly to: string;
  /** True if all times outside the range are excluded instead. */
  readonly invert: boolean;
  /** Start of the range in milliseconds since midnight. */
  readonly #from: number;
  readonly #to: number;
  readonly #rules: Rules;

  /** Throws INVALID_CALENDAR if an option is invalid. */
  constructor(options: DailyCalendarOptions) {
    super(knownFields(options, ['from', 'to', 'invert', 'rules'], "{ from: '22:00', to: '23:59' }"));
    const { from, to, invert = false, rules = DEFAULT_RULES } = options ?? {};
    expectField(typeof invert === 'boolean', invert, ['invert'], 'true or false');
    this.#from = readTimeOfDay(from, 'from');
    this.#to = readTimeOfDay(to, 'to');
    expectField(this.#from < this.#to, to, ['to'], `a time of day after ${timeOfDayText(this.#from)}`);
    this.from = timeOfDayText(this.#from);
    this.to = timeOfDayText(this.#to);
    this.invert = invert;
    this.#rules = readRules(rules);
  }

  toJSON(): CalendarData {
    return { type: 'daily', from: this.from, to: this.to, invert: this.invert, ...this.common() };
  }

  protected override checkTime(time: EpochMs): void {
    checkInstant(time);
  }

  /** Under Quartz's rules, a calendar that is not inverted also excludes the first and the last millisecond of each day. */
  protected includes(time: EpochMs): boolean {
    const { start, end } = this.#rangeOn(time);
    if (this.invert) return time >= start && time <= end;
    if (this.#rules === 'safe') return time < start || time > end;
    const isBefore = time < start && time > startOfDay(this.zone, time);
    return isBefore || (time > end && time < this.#endOfDay(time));
  }

  /** Returns the next start or end of the excluded range, but at most the end of the date or the next change of the UTC offset. */
  protected excludedUntil(time: EpochMs): EpochMs {
    const { start, end } = this.#rangeOn(time);
    const offset = this.zone.offsetAt(time);
    let until = Math.min((dayOf(time + offset) + 1) * DAY_MS - offset, this.zone.steadyUntil(time));
    const edges =
      this.invert || this.#rules === 'safe'
        ? [start, end + 1]
        : [startOfDay(this.zone, time) + 1, end + 1, this.#endOfDay(time)];
    for (const edge of edges) if (edge > time && edge < until) until = edge;
    return until;
  }

  protected ownDayShape(day: EpochMs): string {
    return clockShape(this.zone, day);
  }

  #endOfDay(time: EpochMs): EpochMs {
    return atTimeOfDay(this.zone, time, DAY_MS - 1);
  }

  #rangeOn(time: EpochMs): { readonly start: EpochMs; readonly end: EpochMs } {
    return { start: atTimeOfDay(this.zone, time, this.#from), end: atTimeOfDay(this.zone, time, this.#to) };
  }
}

function readTimeOfDay(value: unknown, field: string): number {
  const isWritten = typeof value === 'string' && /^\d{1,2}:\d{1,2}(:\d{1,2}(:\d{1,3})?)?$/.test(value);
  const parts = isWritten ? value.split(':').map(Number) : [];
  const exists = isWritten && parts.every((part, i) => part < (LIMITS[i] as number));
  expectField(exists, value, [field], "a time of day such as '08:30', '08:30:15' or '08:30:15:500'");
  return parts.reduce((sum, part, i) => sum + part * (UNITS[i] as number), 0);
}

/** Formats a time of day in its shortest form, so that equal calendars have equal JSON data. */
function timeOfDayText(millisOfDay: number): string {
  const [hour, minute, second, millisecond] = UNITS.map(
    (unit, i) => Math.floor(millisOfDay / unit) % (LIMITS[i] as number),
  );
  const two = (part = 0) => String(part).padStart(2, '0');
  const text = `${two(hour)}:${two(minute)}`;
  if (millisecond) return `${text}:${two(second)}:${String(millisecond).padStart(3, '0')}`;
  return second ? `${text}:${two(second)}` : text;
}
