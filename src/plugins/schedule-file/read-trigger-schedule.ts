import { nearestName } from '../../config/nearest-name';
import { type Path, quoted } from '../../config/source-document';
import { INTERVAL_MISFIRE, isMisfireWord, type MisfireWord, SIMPLE_MISFIRE } from '../../domain/misfire-instructions';
import type { TimeZone } from '../../domain/time/time-zone';
import {
  type CalendarIntervalTrigger,
  type CronTrigger,
  type DailyTimeIntervalTrigger,
  type IntervalMisfireInstruction,
  type MisfireInstruction,
  REPEAT_INDEFINITELY,
  type SimpleMisfireInstruction,
  type SimpleTrigger,
} from '../../domain/trigger';
import { readCron } from './read-cron';
import { readDuration, readTimeOfDay } from './read-times';
import { readRenamed } from './renamed-keys';
import type { ScheduleFileReading } from './schedule-file-reading';
import { DAYS, type TriggerFields } from './schedule-file-schema';

/** What only triggers of one kind have. */
type Own<T, Fields extends keyof T> = Pick<T, Fields | ('kind' & keyof T) | ('misfireInstruction' & keyof T)>;
export type TriggerSchedule =
  | Own<SimpleTrigger, 'repeatCount' | 'repeatInterval' | 'timesTriggered'>
  | Own<CronTrigger, 'cronExpression' | 'timeZone'>
  | Own<
      CalendarIntervalTrigger,
      | 'repeatInterval'
      | 'repeatIntervalUnit'
      | 'timeZone'
      | 'preserveHourOfDayAcrossDaylightSavings'
      | 'skipDayIfHourDoesNotExist'
      | 'timesTriggered'
    >
  | Own<
      DailyTimeIntervalTrigger,
      | 'repeatInterval'
      | 'repeatIntervalUnit'
      | 'startTimeOfDay'
      | 'endTimeOfDay'
      | 'daysOfWeek'
      | 'repeatCount'
      | 'timeZone'
      | 'timesTriggered'
    >;

const KINDS = ['cron', 'simple', 'calendarInterval', 'dailyTimeInterval'] as const;

const SIMPLE_INSTRUCTIONS: readonly SimpleMisfireInstruction[] = [
  'SMART_POLICY',
  'IGNORE_MISFIRE_POLICY',
  'FIRE_NOW',
  'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT',
  'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT',
  'RESCHEDULE_NEXT_WITH_REMAINING_COUNT',
  'RESCHEDULE_NEXT_WITH_EXISTING_COUNT',
];
const INTERVAL_INSTRUCTIONS: readonly IntervalMisfireInstruction[] = [
  'SMART_POLICY',
  'IGNORE_MISFIRE_POLICY',
  'FIRE_ONCE_NOW',
  'DO_NOTHING',
];

const START_OF_DAY = '00:00:00';
const END_OF_DAY = '23:59:59';

export interface TriggerContext {
  readonly reading: ScheduleFileReading;
  readonly fields: TriggerFields;
  readonly path: Path;
  readonly zone: TimeZone;
}

/** The one of a trigger's four schedules that it has; null, and the problem reported, when something is wrong with it. */
export function readTriggerSchedule(context: TriggerContext): TriggerSchedule | null {
  const { reading, fields, path } = context;
  const given = KINDS.filter((kind) => fields[kind] !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them' : given.join(' and ');
    reading.report({ path, expected: `one of ${KINDS.join(', ')}`, found });
    return null;
  }
  if (fields.cron !== undefined) return readCronSchedule(context, fields.cron);
  if (fields.simple !== undefined) return readSimple(context, fields.simple);
  if (fields.calendarInterval !== undefined) return readCalendarInterval(context, fields.calendarInterval);
  return readDailyTimeInterval(context, fields.dailyTimeInterval as Given<'dailyTimeInterval'>);
}

type Given<Kind extends (typeof KINDS)[number]> = NonNullable<TriggerFields[Kind]>;

function readCronSchedule(context: TriggerContext, cron: Given<'cron'>): TriggerSchedule | null {
  const misfireInstruction = readMisfireInstruction(context, INTERVAL_INSTRUCTIONS, INTERVAL_MISFIRE);
  const cronExpression = readCron(context, cron);
  if (cronExpression === null || misfireInstruction === null) return null;
  return { kind: 'CRON', cronExpression, timeZone: context.zone.name, misfireInstruction };
}

function readSimple(context: TriggerContext, simple: Given<'simple'>): TriggerSchedule | null {
  const { reading, path } = context;
  const misfireInstruction = readMisfireInstruction(context, SIMPLE_INSTRUCTIONS, SIMPLE_MISFIRE);
  const { interval = 0 } = simple;
  const repeatInterval = readDuration(reading, interval, [...path, 'simple', 'interval']);
  if (repeatInterval === null || misfireInstruction === null) return null;
  const repeatCount = simple.repeatCount ?? (repeatInterval > 0 ? REPEAT_INDEFINITELY : 0);
  return { kind: 'SIMPLE', repeatCount, repeatInterval, timesTriggered: 0, misfireInstruction };
}

function readCalendarInterval(context: TriggerContext, given: Given<'calendarInterval'>): TriggerSchedule | null {
  const misfireInstruction = readMisfireInstruction(context, INTERVAL_INSTRUCTIONS, INTERVAL_MISFIRE);
  if (misfireInstruction === null) return null;
  return {
    kind: 'CAL_INT',
    repeatInterval: given.interval,
    repeatIntervalUnit: given.unit,
    timeZone: context.zone.name,
    preserveHourOfDayAcrossDaylightSavings: given.preserveHourOfDayAcrossDaylightSavings ?? false,
    skipDayIfHourDoesNotExist: given.skipDayIfHourDoesNotExist ?? false,
    timesTriggered: 0,
    misfireInstruction,
  };
}

function readDailyTimeInterval(context: TriggerContext, given: Given<'dailyTimeInterval'>): TriggerSchedule | null {
  const { reading, path } = context;
  const { startTimeOfDay = START_OF_DAY, endTimeOfDay = END_OF_DAY, daysOfWeek = DAYS } = given;
  const misfireInstruction = readMisfireInstruction(context, INTERVAL_INSTRUCTIONS, INTERVAL_MISFIRE);
  const start = readTimeOfDay(reading, startTimeOfDay, [...path, 'dailyTimeInterval', 'startTimeOfDay']);
  const end = readTimeOfDay(reading, endTimeOfDay, [...path, 'dailyTimeInterval', 'endTimeOfDay']);
  if (start === null || end === null || misfireInstruction === null) return null;
  return {
    kind: 'DAILY_I',
    repeatInterval: given.interval,
    repeatIntervalUnit: given.unit,
    startTimeOfDay: start,
    endTimeOfDay: end,
    daysOfWeek: DAYS.flatMap((day, index) => (daysOfWeek.includes(day) ? [index + 1] : [])),
    repeatCount: given.repeatCount ?? REPEAT_INDEFINITELY,
    timeZone: context.zone.name,
    timesTriggered: 0,
    misfireInstruction,
  };
}

/** Which misfire instructions there are depends on the kind. */
function readMisfireInstruction<T extends MisfireInstruction>(
  context: TriggerContext,
  known: readonly T[],
  words: Readonly<Record<MisfireWord, T>>,
): T | null {
  const { reading, path } = context;
  const written = readRenamed(reading, context, 'misfire') ?? { key: 'misfire', value: 'SMART_POLICY' };
  const { key, value } = written;
  if (isMisfireWord(value)) return words[value];
  const instruction = known.find((each) => each === value);
  if (instruction !== undefined) return instruction;
  reading.report({
    path: [...path, key],
    expected: `one of ${known.join(', ')}`,
    found: quoted(value),
    suggestion: nearestName(value, known),
  });
  return null;
}
