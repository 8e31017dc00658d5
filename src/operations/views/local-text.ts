import { DateTime } from 'luxon';
import { luxonNameOf } from '../../domain/time/zone-name';

/** An instant by the clock of a zone, with its offset: `2027-03-28T03:00:00.000+02:00`. */
export function localText(time: number, timeZone: string): string {
  return DateTime.fromMillis(time, { zone: luxonNameOf(timeZone) }).toISO() ?? new Date(time).toISOString();
}
