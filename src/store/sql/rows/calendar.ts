import { SchedulerError, toError } from '../../../base/errors';
import type { CalendarData } from '../../../domain/calendars/calendar';
import { calendarFrom } from '../../../domain/calendars/calendar-from-data';
import type { StoredCalendar } from '../../../domain/firing';
import { parseJson } from './job-data';

/** Cache of decoded calendars, by stored text. Every firing reads the calendar of its trigger, and calendars rarely change. */
const decoded = new Map<string, StoredCalendar>();
const MAX_REMEMBERED = 100;

export function encodeCalendar(data: CalendarData): Uint8Array {
  return Buffer.from(JSON.stringify(data));
}

/** Decodes the calendar in a CALENDAR column. Throws INVALID_CALENDAR if it was serialised by Java or is malformed. */
export function decodeCalendar(bytes: Uint8Array, name: string): StoredCalendar {
  if (bytes[0] === 0xac && bytes[1] === 0xed) {
    throw new SchedulerError(
      'INVALID_CALENDAR',
      `Expected the calendar '${name}' as JSON, found one serialised by Java. Its triggers do not run on this node. ` +
        'Replace the calendar (`quartz calendars edit <name> --replace`, `replace: true` over HTTP, or addCalendar), or leave its triggers to Java nodes.',
    );
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const known = decoded.get(text);
  if (known !== undefined) return known;
  try {
    const data = parseJson(bytes) as CalendarData;
    const calendar = { calendar: calendarFrom(data), data };
    if (decoded.size >= MAX_REMEMBERED) decoded.clear();
    decoded.set(text, calendar);
    return calendar;
  } catch (error) {
    const { message } = toError(error);
    throw new SchedulerError(
      'INVALID_CALENDAR',
      `The stored calendar '${name}' is malformed: ${message} Replace it with \`quartz calendars edit <name> --replace\`.`,
      { cause: error },
    );
  }
}
