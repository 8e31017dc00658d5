import type { EpochMs } from '../base/clock';
import type { CalendarData } from '../domain/calendars/calendar';
import { type TimeZone, timeZoneOf } from '../domain/time/time-zone';
import {
  ANNUAL,
  ARRAY_LIST,
  BASE,
  CRON,
  CRON_EXPRESSION,
  DAILY,
  DATE,
  HOLIDAY,
  JAVA_CALENDAR,
  MONTHLY,
  TREE_SET,
  WEEKLY,
} from './calendar-classes';
import { int64 } from './java-bytes';
import { countBlock, type FieldValue, javaArray, javaObject, javaText, orNull } from './java-objects';
import { ClassPart } from './shape';
import { JAVA_NULL, type JavaClass, type JavaNode, type JavaObject } from './stream-format';
import { readJavaStream } from './stream-reader';
import { writeJavaStream } from './stream-writer';
import { zoneInfoOf } from './zone-info';

/**
 * Serialises a calendar as Quartz does. `withoutZone`: for each calendar of the chain, from the outermost, whether to name no time zone. Quartz
 * must be able to read the calendar (`unknownToQuartz`).
 */
export function encodeJavaCalendar(data: CalendarData, withoutZone: readonly boolean[] = []): Uint8Array {
  return writeJavaStream(nodeOf(data, withoutZone));
}

/** Returns what Quartz 2.3.2 reads otherwise or not at all, as a clause about the calendar. Null for calendars that Quartz reads as they are meant. */
export function unknownToQuartz(data: CalendarData): string | null {
  if (data.type === 'cron' && hasListOfSpecialDays(data.cronExpression))
    return `its cron expression '${data.cronExpression}' has L or W in a list`;
  return data.base === null ? null : unknownToQuartz(data.base);
}

/** True for a list with `L` or `W` in day-of-month, of which Quartz knows the meaning since 2.4. */
export function hasListOfSpecialDays(expression: string): boolean {
  const dayOfMonth = expression.trim().split(/[ \t]+/)[3] ?? '';
  return dayOfMonth.includes(',') && /[LW]/i.test(dayOfMonth);
}

function nodeOf(data: CalendarData, [isWithout = false, ...ofBase]: readonly boolean[]): JavaObject {
  const zone = timeZoneOf(data.timeZone);
  const zoneNode = isWithout ? JAVA_NULL : zoneInfoOf(zone);
  const common = {
    baseCalendar: orNull(data.base, (base) => nodeOf(base, ofBase)),
    description: orNull(data.description, javaText),
    // As in Quartz, the zone of a cron calendar is that of its expression.
    timeZone: data.type === 'cron' ? JAVA_NULL : zoneNode,
  };
  const [type, fields] = ownFields(data, zone, zoneNode);
  return javaObject(type, { ...common, ...fields });
}

function ownFields(data: CalendarData, zone: TimeZone, zoneNode: JavaNode): [JavaClass, Record<string, FieldValue>] {
  switch (data.type) {
    case 'base':
      return [BASE, {}];
    case 'annual':
      return [ANNUAL, { dataSorted: true, excludeDays: listOf(data.excludedDays.map(dayOfYear)) }];
    case 'cron':
      return [
        CRON,
        {
          cronExpression: javaObject(CRON_EXPRESSION, {
            cronExpression: javaText(data.cronExpression),
            timeZone: zoneNode,
          }),
        },
      ];
    case 'daily':
      return [
        DAILY,
        {
          invertTimeRange: data.invert,
          ...timeOfDay('rangeStarting', data.from),
          ...timeOfDay('rangeEnding', data.to),
        },
      ];
    case 'holiday':
      return [
        HOLIDAY,
        { dates: setOf(data.excludedDates.map((date) => zone.instantOf(Date.parse(`${date}T00:00:00Z`)))) },
      ];
    case 'monthly':
      return [MONTHLY, excludedDays(data.excludedDays, 1, 31)];
    case 'weekly':
      return [WEEKLY, excludedDays(data.excludedDays, 0, 7)];
  }
}

function listOf(elements: readonly JavaNode[]): JavaObject {
  const written = [countBlock(elements.length), ...elements];
  return javaObject(ARRAY_LIST, { size: elements.length }, { [ARRAY_LIST.name]: written });
}

/** Makes a sorted set of dates. Its comparator is null: the natural order. */
function setOf(times: readonly EpochMs[]): JavaObject {
  const dates = [...new Set(times)]
    .sort((a, b) => a - b)
    .map((time) => {
      const block = { kind: 'block', bytes: int64(BigInt(time)), isLong: false } as const;
      return javaObject(DATE, {}, { [DATE.name]: [block] });
    });
  return javaObject(TREE_SET, {}, { [TREE_SET.name]: [JAVA_NULL, countBlock(dates.length), ...dates] });
}

/** Makes the array of a flag for each day from `first` to `last`; true: excluded. */
function excludedDays(days: readonly number[], first: number, last: number): Record<string, FieldValue> {
  const flags = Array.from({ length: last - first + 1 }, (_, index) => days.includes(index + first));
  const excludeAll = flags.every((isExcluded, index) => isExcluded || index + first === 0);
  return { excludeAll, excludeDays: javaArray('[Z', flags) };
}

function timeOfDay(prefix: string, text: string): Record<string, FieldValue> {
  const [hour = 0, minute = 0, second = 0, millis = 0] = text.split(':').map(Number);
  return {
    [`${prefix}HourOfDay`]: hour,
    [`${prefix}Minute`]: minute,
    [`${prefix}Second`]: second,
    [`${prefix}Millis`]: millis,
  };
}

/** A GregorianCalendar of Java 17: noon of 1 January 2024 in UTC. */
const NOON =
  'rO0ABXNyABtqYXZhLnV0aWwuR3JlZ29yaWFuQ2FsZW5kYXKPPdfW5bDQwQIAAUoAEGdyZWdvcmlhbkN1dG92ZXJ4cgASamF2YS51dGlsLkNhbGVuZGFy5u' +
  'pNHsjcW44DAAtaAAxhcmVGaWVsZHNTZXRJAA5maXJzdERheU9mV2Vla1oACWlzVGltZVNldFoAB2xlbmllbnRJABZtaW5pbWFsRGF5c0luRmlyc3RXZWVr' +
  'SQAJbmV4dFN0YW1wSQAVc2VyaWFsVmVyc2lvbk9uU3RyZWFtSgAEdGltZVsABmZpZWxkc3QAAltJWwAFaXNTZXR0AAJbWkwABHpvbmV0ABRMamF2YS91dG' +
  'lsL1RpbWVab25lO3hwAQAAAAEBAQAAAAEAAAAIAAAAAQAAAYzE5SIAdXIAAltJTbpgJnbqsqUCAAB4cAAAABEAAAABAAAH6AAAAAAAAAAAAAAAAAAAAAEA' +
  'AAAAAAAAAgAAAAAAAAABAAAAAAAAAAwAAAAAAAAAAAAAAAAAAAAAAAAAAHVyAAJbWlePIDkUuF3iAgAAeHAAAAARAAEBAAABAAAAAAABAQEAAABzcgAYam' +
  'F2YS51dGlsLlNpbXBsZVRpbWVab25l+mddYNFe9aYDABJJAApkc3RTYXZpbmdzSQAGZW5kRGF5SQAMZW5kRGF5T2ZXZWVrSQAHZW5kTW9kZUkACGVuZE1v' +
  'bnRoSQAHZW5kVGltZUkAC2VuZFRpbWVNb2RlSQAJcmF3T2Zmc2V0SQAVc2VyaWFsVmVyc2lvbk9uU3RyZWFtSQAIc3RhcnREYXlJAA5zdGFydERheU9mV2' +
  'Vla0kACXN0YXJ0TW9kZUkACnN0YXJ0TW9udGhJAAlzdGFydFRpbWVJAA1zdGFydFRpbWVNb2RlSQAJc3RhcnRZZWFyWgALdXNlRGF5bGlnaHRbAAttb250' +
  'aExlbmd0aHQAAltCeHIAEmphdmEudXRpbC5UaW1lWm9uZTGz6fV3RKyhAgABTAACSUR0ABJMamF2YS9sYW5nL1N0cmluZzt4cHQAA1VUQwA27oAAAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAdXIAAltCrPMX+AYIVOACAAB4cAAAAAwfHB8eHx4fHx4f' +
  'Hh93CgAAAAYAAAAAAAB1cQB+AAYAAAACAAAAAAAAAAB4c3IAGnN1bi51dGlsLmNhbGVuZGFyLlpvbmVJbmZvJNHTzgAdcZsCAAhJAAhjaGVja3N1bUkACm' +
  'RzdFNhdmluZ3NJAAlyYXdPZmZzZXRJAA1yYXdPZmZzZXREaWZmWgATd2lsbEdNVE9mZnNldENoYW5nZVsAB29mZnNldHNxAH4AAlsAFHNpbXBsZVRpbWVa' +
  'b25lUGFyYW1zcQB+AAJbAAt0cmFuc2l0aW9uc3QAAltKeHEAfgAMcQB+AA8AAAAAAAAAAAAAAAAAAAAAAHBwcHj///Ti+WSsAA==';

const LEAP_YEAR = 2024;
let noon: ClassPart | null = null;

/** Makes the day as a date at noon in UTC. Java computes the other fields from the time. */
function dayOfYear([month, day]: readonly [number, number]): JavaObject {
  noon ??= new ClassPart(readJavaStream(Buffer.from(NOON, 'base64')) as JavaObject, JAVA_CALENDAR);
  const time = Date.UTC(LEAP_YEAR, month - 1, day, 12);
  const none = {
    areFieldsSet: Buffer.of(0),
    isSet: javaArray('[Z', Array<boolean>(17).fill(false)),
    fields: javaArray('[I', Array<number>(17).fill(0)),
  };
  return noon.with({ ...none, time: int64(BigInt(time)) });
}
