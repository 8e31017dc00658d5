import { nearestName } from '../base/nearest-name';
import { type Path, quoted } from '../config/source-document';
import { isNameIn } from '../domain/check-text';
import { CronExpression } from '../domain/cron/cron-expression';
import { type JobKey, jobKey, type TriggerKey } from '../domain/keys';
import { checkKey } from '../domain/limits';
import {
  INTERVAL_MISFIRE,
  isMisfireWord,
  MISFIRE_CODES,
  type MisfireWord,
  SIMPLE_MISFIRE,
} from '../domain/misfire-instructions';
import { ONCE, repeatSchedule } from '../domain/repeat-interval';
import type { TimeZone } from '../domain/time/time-zone';
import { type MisfireInstruction, REPEAT_INDEFINITELY, type Trigger } from '../domain/trigger';
import { waitingFor } from '../domain/triggers/after-trigger';
import { readDuration, readTimeOfDay } from './read-times';
import type { ScheduleFileReading } from './schedule-file-reading';
import { DAYS, type KeyFields, type TriggerFields } from './schedule-file-schema';

/** Fields that only triggers of one kind have. */
type OwnFields<T> = T extends Trigger ? Omit<T, Exclude<keyof Trigger, 'kind' | 'misfireInstruction'>> : never;
type TriggerSchedule = OwnFields<Trigger>;

const KINDS = ['cron', 'every', 'at', 'simple', 'calendarInterval', 'dailyTimeInterval', 'after'] as const;

const START_OF_DAY = '00:00:00';
const END_OF_DAY = '23:59:59';

export interface TriggerContext {
  readonly reading: ScheduleFileReading;
  readonly fields: TriggerFields;
  readonly path: Path;
  readonly zone: TimeZone;
  /** Key as written in the file, not yet checked. */
  readonly key: TriggerKey;
}

/** The trigger must have exactly one of the seven kinds of schedule. Reports its problems, and returns null if it is invalid. */
export function readTriggerSchedule(context: TriggerContext): TriggerSchedule | null {
  const { reading, fields, path } = context;
  const given = KINDS.filter((kind) => fields[kind] !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them' : given.join(' and ');
    reading.report({ path, expected: `one of ${KINDS.join(', ')}`, found });
    return null;
  }
  if (fields.after !== undefined) return readAfter(context, fields.after);
  if (fields.dialect !== undefined && fields.cron === undefined)
    reading.report({ path: [...path, 'dialect'], expected: 'dialect only with cron', found: 'dialect without cron' });
  if (fields.on !== undefined)
    reading.report({ path: [...path, 'on'], expected: 'on only with after', found: 'on without after' });
  if (fields.cron !== undefined) return readCronSchedule(context, fields.cron);
  if (fields.every !== undefined) return readEvery(context, fields.every);
  if (fields.at !== undefined) return readAt(context);
  if (fields.simple !== undefined) return readSimple(context, fields.simple);
  if (fields.calendarInterval !== undefined) return readCalendarInterval(context, fields.calendarInterval);
  return readDailyTimeInterval(context, fields.dailyTimeInterval as Given<'dailyTimeInterval'>);
}

type Given<Kind extends (typeof KINDS)[number]> = NonNullable<TriggerFields[Kind]>;

function readCronSchedule(context: TriggerContext, cron: Given<'cron'>): TriggerSchedule | null {
  const { reading, fields, path, zone, key } = context;
  const { dialect = 'quartz' } = fields;
  const misfireInstruction = readMisfireInstruction(context, MISFIRE_CODES.CRON, INTERVAL_MISFIRE);
  const options = { timeZone: zone.name, dialect, key };
  const cronExpression = reading.attempt([...path, 'cron'], () => new CronExpression(cron, options).cronExpression);
  if (cronExpression === null || misfireInstruction === null) return null;
  return { kind: 'CRON', cronExpression, timeZone: zone.name, misfireInstruction };
}

function readEvery(context: TriggerContext, every: Given<'every'>): TriggerSchedule | null {
  const { reading, path, zone } = context;
  const repeat = reading.attempt([...path, 'every'], () => repeatSchedule(every, zone.name));
  if (repeat === null) return null;
  if (repeat.kind === 'SIMPLE') {
    const misfireInstruction = readMisfireInstruction(context, MISFIRE_CODES.SIMPLE, SIMPLE_MISFIRE);
    return misfireInstruction && { ...repeat, misfireInstruction };
  }
  const misfireInstruction = readMisfireInstruction(context, MISFIRE_CODES.CAL_INT, INTERVAL_MISFIRE);
  return misfireInstruction && { ...repeat, misfireInstruction };
}

/** Reads `at`, which means one firing at the start time. `readTrigger` reads the time itself. */
function readAt(context: TriggerContext): TriggerSchedule | null {
  const { reading, path, fields } = context;
  if (fields.startAt !== undefined)
    reading.report({
      path: [...path, 'startAt'],
      expected: 'no startAt together with at, because at is the start time',
      found: 'one',
    });
  const misfireInstruction = readMisfireInstruction(context, MISFIRE_CODES.SIMPLE, SIMPLE_MISFIRE);
  return misfireInstruction && { ...ONCE, misfireInstruction };
}

function readSimple(context: TriggerContext, simple: Given<'simple'>): TriggerSchedule | null {
  const { reading, path } = context;
  const misfireInstruction = readMisfireInstruction(context, MISFIRE_CODES.SIMPLE, SIMPLE_MISFIRE);
  const { interval = 0 } = simple;
  const repeatInterval = readDuration(reading, interval, [...path, 'simple', 'interval']);
  if (repeatInterval === null || misfireInstruction === null) return null;
  const repeatCount = simple.repeatCount ?? (repeatInterval > 0 ? REPEAT_INDEFINITELY : 0);
  return { kind: 'SIMPLE', repeatCount, repeatInterval, timesTriggered: 0, misfireInstruction };
}

function readCalendarInterval(context: TriggerContext, given: Given<'calendarInterval'>): TriggerSchedule | null {
  const misfireInstruction = readMisfireInstruction(context, MISFIRE_CODES.CAL_INT, INTERVAL_MISFIRE);
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
  const misfireInstruction = readMisfireInstruction(context, MISFIRE_CODES.DAILY_I, INTERVAL_MISFIRE);
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

/** None of these fields can be combined with `after`. */
const OF_TIMES = ['startAt', 'endAt', 'timeZone', 'calendar', 'misfire', 'dialect'] as const;

function readAfter({ reading, fields, path }: TriggerContext, after: Given<'after'>): TriggerSchedule | null {
  const isList = Array.isArray(after);
  const given = isList ? after : [after];
  const keys = given.map((each, index) =>
    reading.attempt(isList ? [...path, 'after', index] : [...path, 'after'], () => checkKey(keyOf(each), 'job')),
  );
  const unfit = OF_TIMES.filter((field) => fields[field] !== undefined);
  for (const field of unfit)
    reading.report({
      path: [...path, field],
      expected: `no ${field} (a trigger with after has no fire times)`,
      found: 'one',
    });
  if (unfit.length > 0 || !keys.every((key) => key !== null)) return null;
  return waitingFor(keys, fields.on ?? 'success');
}

function readMisfireInstruction<T extends MisfireInstruction>(
  context: TriggerContext,
  codes: Readonly<Record<T, number>>,
  words: Readonly<Record<MisfireWord, T>>,
): T | null {
  const { reading, path, fields } = context;
  const { misfire: value = 'SMART_POLICY' } = fields;
  if (isMisfireWord(value)) return words[value];
  if (isNameIn(codes, value)) return value;
  const known = Object.keys(codes);
  const suggestion = nearestName(value, known);
  reading.report({
    path: [...path, 'misfire'],
    expected: `one of ${known.join(', ')}`,
    found: quoted(value),
    suggestion,
  });
  return null;
}

/** Returns the key as written in the file, not yet checked. */
export function keyOf(fields: KeyFields): JobKey {
  return typeof fields === 'string' ? jobKey(fields) : jobKey(fields.name, fields.group);
}
