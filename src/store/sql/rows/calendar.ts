import { SchedulerError, toError } from '../../../base/errors';
import type { CalendarData } from '../../../domain/calendars/calendar';
import { calendarFrom } from '../../../domain/calendars/calendar-from-data';
import type { StoredCalendar } from '../../../domain/firing';
import { LIMITS } from '../../../domain/limits';
import { DEFAULT_RULES, type Rules } from '../../../domain/rules';
import { decodeJavaCalendar } from '../../../java/decode-calendar';
import { encodeJavaCalendar, unknownToQuartz } from '../../../java/encode-calendar';
import { parseJson } from './job-data';

/** Cache of decoded calendars, by rules and stored text. Every firing reads the calendar of its trigger, and calendars rarely change. */
const decoded: Readonly<Record<Rules, Map<string, StoredCalendar>>> = { safe: new Map(), quartz: new Map() };
const MAX_REMEMBERED = 100;

interface EncodedCalendar {
  readonly bytes: Uint8Array;
  /** Why Java nodes cannot read the calendar, as a clause. Null: it has the form in which Java serialises it. */
  readonly notForJava: string | null;
}

/**
 * Encodes a calendar as Quartz serialises it, or as JSON if Quartz has no class for it. A calendar with the same content as the stored one keeps its
 * bytes. One that Java stored without a time zone remains without, unless its zone changes. `timeZone`: zone of calendars that name none.
 */
export function encodeCalendar(data: CalendarData, stored: Uint8Array | null, timeZone: string): EncodedCalendar {
  const notForJava = unknownToQuartz(data);
  const before = stored === null ? null : storedData(stored, timeZone);
  if (stored !== null && before !== null && isJava(stored) && JSON.stringify(before.data) === JSON.stringify(data))
    return { bytes: stored, notForJava };
  if (notForJava !== null) return { bytes: jsonOf(data), notForJava };
  const bytes = encodeJavaCalendar(data, before === null ? [] : zonesLeftOut(data, before.withoutZone, timeZone));
  if (bytes.length <= LIMITS.calendarBytes) return { bytes, notForJava: null };
  return { bytes: jsonOf(data), notForJava: `it takes ${bytes.length} bytes as Java serialises it` };
}

function jsonOf(data: CalendarData): Uint8Array {
  return Buffer.from(JSON.stringify(data));
}

function isJava(bytes: Uint8Array): boolean {
  return bytes[0] === 0xac && bytes[1] === 0xed;
}

/** Returns null for bytes that this node cannot read. */
function storedData(stored: Uint8Array, timeZone: string) {
  try {
    const { data, withoutZone } = isJava(stored)
      ? decodeJavaCalendar(stored, timeZone)
      : { data: parseJson(stored) as CalendarData, withoutZone: [] };
    return { data: calendarFrom(data).toJSON(), withoutZone };
  } catch {
    return null;
  }
}

function zonesLeftOut(data: CalendarData, withoutZone: readonly boolean[], timeZone: string): readonly boolean[] {
  const chain: CalendarData[] = [];
  for (let each: CalendarData | null = data; each !== null; each = each.base) chain.push(each);
  return chain.map((each, index) => withoutZone[index] === true && each.timeZone === timeZone);
}

/** Decodes the calendar in a CALENDAR column. `timeZone`: zone of calendars that Java stored without one. Throws INVALID_CALENDAR. */
export function decodeCalendar(
  bytes: Uint8Array,
  name: string,
  timeZone: string,
  rules: Rules = DEFAULT_RULES,
): StoredCalendar {
  const isOfJava = isJava(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isOfJava ? 'latin1' : 'utf8');
  const form = isOfJava ? `${timeZone} ${text}` : text;
  const remembered = decoded[rules];
  const known = remembered.get(form);
  if (known !== undefined) return known;
  try {
    const data = isOfJava ? decodeJavaCalendar(bytes, timeZone).data : (parseJson(bytes) as CalendarData);
    const made = calendarFrom(data, rules);
    const calendar = { calendar: made, data: isOfJava ? made.toJSON() : data };
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(form, calendar);
    return calendar;
  } catch (error) {
    throw new SchedulerError('INVALID_CALENDAR', problemOf(name, isOfJava, toError(error).message), { cause: error });
  }
}

function problemOf(name: string, isOfJava: boolean, message: string): string {
  const what = isOfJava
    ? `Expected the calendar '${name}', which Java serialised, to be a calendar of Quartz: ${message} Its triggers do not run on this node.`
    : `The stored calendar '${name}' is malformed: ${message}`;
  return `${what} Replace it with \`quartz calendars edit <name> --replace\`.`;
}
