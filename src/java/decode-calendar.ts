import { DAY_MS, type EpochMs, MAX_TIME } from '../base/clock';
import type { CalendarData } from '../domain/calendars/calendar';
import { timeZoneOf } from '../domain/time/time-zone';
import {
  ANNUAL,
  BASE,
  CRON,
  CRON_EXPRESSION,
  DAILY,
  HOLIDAY,
  JAVA_CALENDAR,
  MONTHLY,
  WEEKLY,
} from './calendar-classes';
import { notRead, shownClass } from './java-bytes';
import { ClassPart, classNameOf } from './shape';
import { shapeOf } from './shapes';
import type { JavaNode } from './stream-format';
import { readJavaStream } from './stream-reader';
import { readZone, type StoredZone } from './zone-info';

/** A calendar that Java serialised. */
interface StoredJavaCalendar {
  readonly data: CalendarData;
  /** For each calendar of the chain, from the outermost: true if it names no time zone, so that each JVM uses its own. */
  readonly withoutZone: readonly boolean[];
}

/** Decodes a calendar of Quartz. `timeZone`: zone of calendars that name none. Throws a TypeError for another class, and for damaged bytes. */
export function decodeJavaCalendar(bytes: Uint8Array, timeZone: string): StoredJavaCalendar {
  const withoutZone: boolean[] = [];
  return { data: read(readJavaStream(bytes), timeZone, withoutZone), withoutZone };
}

type Reader = (part: ClassPart, zone: StoredZone) => OwnData;
type Common = 'description' | 'timeZone' | 'base';
type OwnData = CalendarData extends infer Each ? (Each extends CalendarData ? Omit<Each, Common> : never) : never;

const READERS: Readonly<Record<string, Reader>> = {
  [BASE.name]: () => ({ type: 'base' }),
  [ANNUAL.name]: (part) => ({ type: 'annual', excludedDays: elementsOf(part, 'excludeDays').map(dayOfYear) }),
  [CRON.name]: (part) => ({ type: 'cron', cronExpression: expressionOf(part).text('cronExpression') }),
  [DAILY.name]: (part) => ({
    type: 'daily',
    from: timeOfDay(part, 'rangeStarting'),
    to: timeOfDay(part, 'rangeEnding'),
    invert: flags(part.bytes('invertTimeRange', 1))[0] === true,
  }),
  [HOLIDAY.name]: (part, zone) => ({
    type: 'holiday',
    excludedDates: elementsOf(part, 'dates').map((date) => localDate(timeOf(date), zone).toISOString().slice(0, 10)),
  }),
  [MONTHLY.name]: (part) => ({ type: 'monthly', excludedDays: excludedDays(part, 1) }),
  [WEEKLY.name]: (part) => ({ type: 'weekly', excludedDays: excludedDays(part, 0) }),
};

function read(node: JavaNode, timeZone: string, withoutZone: boolean[]): CalendarData {
  const name = classNameOf(node);
  const reader = READERS[name];
  if (node.kind !== 'object' || reader === undefined) throw notRead(`a calendar of the class ${shownClass(name)}`);
  const common = new ClassPart(node, BASE.name);
  const part = new ClassPart(node, name);
  const zoneNode = name === CRON.name ? expressionOf(part).node('timeZone') : common.node('timeZone');
  withoutZone.push(zoneNode.kind === 'null');
  const zone = zoneNode.kind === 'null' ? timeZoneOf(timeZone) : readZone(zoneNode);
  const description = common.node('description');
  const base = common.node('baseCalendar');
  return {
    ...reader(part, zone),
    description: description.kind === 'null' ? null : common.text('description'),
    timeZone: zone.name,
    base: base.kind === 'null' ? null : read(base, timeZone, withoutZone),
  };
}

function expressionOf(part: ClassPart): ClassPart {
  const node = part.node('cronExpression');
  return node.kind === 'object' ? new ClassPart(node, CRON_EXPRESSION.name) : part.fail();
}

function elementsOf(part: ClassPart, field: string): readonly JavaNode[] {
  const shape = shapeOf(part.node(field));
  return shape.is === 'list' ? shape.elements : part.fail();
}

/** Returns the instant of a java.util.Date. */
function timeOf(node: JavaNode): EpochMs {
  if (node.kind !== 'object')
    throw notRead(`an object of the class ${shownClass(classNameOf(node))} where a date was expected`);
  return Number(new ClassPart(node, 'java.util.Date').block(8).readBigInt64BE());
}

/** Quartz compares month and day of the month in the zone of each date. */
function dayOfYear(node: JavaNode): readonly [number, number] {
  if (node.kind !== 'object')
    throw notRead(`an object of the class ${shownClass(classNameOf(node))} where a day was expected`);
  const part = new ClassPart(node, JAVA_CALENDAR);
  const [zone] = part.written;
  const isGiven = zone !== undefined && zone.kind === 'object';
  const date = localDate(Number(part.bytes('time', 8).readBigInt64BE()), readZone(isGiven ? zone : part.node('zone')));
  return [date.getUTCMonth() + 1, date.getUTCDate()];
}

function localDate(instant: EpochMs, zone: StoredZone): Date {
  const local = instant + zone.offsetAt(instant);
  if (!(Math.abs(local) <= MAX_TIME)) throw notRead('a date outside the years -271821 to 275760');
  return new Date(local - (((local % DAY_MS) + DAY_MS) % DAY_MS));
}

function timeOfDay(part: ClassPart, prefix: string): string {
  const [hour, minute, second] = ['HourOfDay', 'Minute', 'Second'].map((unit) =>
    String(part.int(prefix + unit)).padStart(2, '0'),
  );
  return `${hour}:${minute}:${second}:${String(part.int(`${prefix}Millis`)).padStart(3, '0')}`;
}

/** Returns the numbers of the excluded days. `first`: number of the first element. */
function excludedDays(part: ClassPart, first: number): readonly number[] {
  const node = part.node('excludeDays');
  if (node.kind !== 'array' || node.type.name !== '[Z' || !Buffer.isBuffer(node.elements)) return part.fail();
  return flags(node.elements).flatMap((isExcluded, index) => (isExcluded && index + first > 0 ? [index + first] : []));
}

function flags(bytes: Buffer): readonly boolean[] {
  return Array.from(bytes, (byte) => byte !== 0);
}
