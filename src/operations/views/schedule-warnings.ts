import { DAY_MS } from '../../base/clock';
import type { Calendar } from '../../domain/calendars/calendar';
import { fireTimesIn } from '../../domain/catch-up';
import { CronExpression } from '../../domain/cron/cron-expression';
import type { Rules } from '../../domain/rules';
import { type TimeZone, timeZoneOf } from '../../domain/time/time-zone';
import type { CronTrigger, Trigger } from '../../domain/trigger';
import { fireTimeAfter } from '../../domain/trigger-behaviour';
import { instantOf } from './plain';

export const WARNING_CODES = [
  'NEVER_FIRES',
  'ENDS',
  'NO_TIME_ZONE',
  'CALENDAR',
  'CLOCK_FORWARD',
  'CLOCK_BACK',
] as const;

/** Warning about an effect of a schedule that its author may not expect. */
interface ScheduleWarning {
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
}

interface Previewed {
  readonly calendar: Calendar | null;
  /** Next fire times from `start` on, up to the requested number. */
  readonly times: readonly number[];
  readonly start: number;
  readonly count: number;
  /** Rules of the scheduler. */
  readonly rules: Rules;
  /** True if the schedule specifies a time zone. */
  readonly namesZone: boolean;
}

export function warningsOf(trigger: Trigger, found: Previewed): readonly ScheduleWarning[] {
  if (trigger.kind === 'AFTER') return [];
  return [
    ...endOf(trigger, found),
    ...('timeZone' in trigger && !found.namesZone ? [noZone(trigger.timeZone)] : []),
    ...excluded(trigger, found),
    // With natural clock changes, fixed hours fire once and steps continue, as their author expects.
    ...(trigger.kind === 'CRON' && trigger.policy?.clockChanges !== 'natural' ? clockChanges(trigger, found) : []),
  ];
}

function endOf(trigger: Trigger, { times, count, calendar, start, rules }: Previewed): readonly ScheduleWarning[] {
  if (times.length >= count) return [];
  const last = times.at(-1);
  if (last !== undefined) return [{ code: 'ENDS', message: `The last fire time is ${instantOf(last)}.` }];
  const fires = calendar !== null && fireTimeAfter(trigger, start - 1, rules) !== null;
  const why = fires ? ': the calendar excludes all fire times' : '';
  return [{ code: 'NEVER_FIRES', message: `This schedule never fires${why}.` }];
}

function noZone(timeZone: string): ScheduleWarning {
  return { code: 'NO_TIME_ZONE', message: `No time zone given. The time zone of the scheduler applies: ${timeZone}.` };
}

/** Maximum number of fire times to count without the calendar, to compare with the fire times that the calendar allows. */
const MAX_COMPARED = 2_000;

function excluded(trigger: Trigger, { calendar, times, start, rules }: Previewed): readonly ScheduleWarning[] {
  const last = times.at(-1);
  if (calendar === null || last === undefined) return [];
  const count = fireTimesIn(trigger, null, { from: start, to: last + 1, atMost: MAX_COMPARED, rules }).length;
  const left = count - times.length;
  if (left <= 0) return [];
  const number = count === MAX_COMPARED ? `at least ${left}` : `${left}`;
  return [
    {
      code: 'CALENDAR',
      message: `The calendar excludes ${number} fire ${number === '1' ? 'time' : 'times'} before the last one shown.`,
    },
  ];
}

const YEAR_MS = 366 * 86_400_000;

/** Returns warnings about clock changes within a year of `start`, at most one per direction. */
function clockChanges(
  { cronExpression, timeZone }: CronTrigger,
  { start, rules }: Previewed,
): readonly ScheduleWarning[] {
  const zone = timeZoneOf(timeZone);
  // Matches local times of the expression, as if the clock never changed.
  const readings = new CronExpression(cronExpression, { timeZone: 'UTC', lenient: true, rules });
  const warnings = new Map<string, ScheduleWarning>();
  for (const { time, before, after } of changesOf(zone, start)) {
    const [from, to] = [time + Math.min(before, after), time + Math.max(before, after)];
    const reading = readings.nextTimeAfter(from - 1);
    if (reading === null || reading >= to) continue;
    const isForward = after > before;
    const isSteady = firesEveryHour(readings, from);
    if (isForward && isSteady) continue; // no fire time is missed, because the schedule fires in the hours before and after the clock change too
    const code = isForward ? 'CLOCK_FORWARD' : 'CLOCK_BACK';
    const change = `${dateText(time + after)} ${clockText(time + before)} is followed by ${clockText(time + after)}`;
    const effect = isForward
      ? `${clockText(reading)} does not exist, and the fire time is skipped`
      : isSteady
        ? `${clockText(from)} to ${clockText(to)} occurs twice, and the trigger fires in the second of the two hours only`
        : `${clockText(reading)} occurs twice, and the trigger fires the second time`;
    if (!warnings.has(code)) warnings.set(code, { code, message: `In ${timeZone} on ${change}: ${effect}.` });
  }
  return [...warnings.values()];
}

const HOUR_MS = 3_600_000;

/** Returns true if the schedule fires in every hour of the day, such as "every 6 minutes". */
function firesEveryHour(readings: CronExpression, time: number): boolean {
  const day = time - (time % DAY_MS);
  return Array.from({ length: 24 }, (_, hour) => day + hour * HOUR_MS).every((hour) => {
    const reading = readings.nextTimeAfter(hour - 1);
    return reading !== null && reading < hour + HOUR_MS;
  });
}

interface ClockChange {
  readonly time: number;
  readonly before: number;
  readonly after: number;
}

function changesOf(zone: TimeZone, start: number): readonly ClockChange[] {
  const changes: ClockChange[] = [];
  let time = start;
  while (time < start + YEAR_MS) {
    const next = zone.steadyUntil(time);
    const [before, after] = [zone.offsetAt(next - 1), zone.offsetAt(next)];
    if (before !== after && next < start + YEAR_MS) changes.push({ time: next, before, after });
    time = Math.max(next, time + 1);
    if (changes.length > YEAR_MS / DAY_MS) break;
  }
  return changes;
}

const dateText = (reading: number) => new Date(reading).toISOString().slice(0, 10);
const clockText = (reading: number) => new Date(reading).toISOString().slice(11, 16);
