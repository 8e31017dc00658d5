import { type Clock, type EpochMs, SystemClock } from '../../base/clock';
import { systemTimeZone } from '../../domain/time/system-time-zone';
import { type TimeZone, timeZoneOf } from '../../domain/time/time-zone';

/** Where and when the helpers that make dates stand. */
export interface DateOptions {
  /** IANA zone whose wall clock is meant; default: that of this process. */
  readonly timeZone?: string;
  /** Says what time it is; default: the system's clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

const systemClock = new SystemClock();

/** What time it is. */
export function nowOf({ clock = systemClock }: DateOptions): EpochMs {
  return clock.now();
}

/** The zone meant. Throws UNKNOWN_TIME_ZONE. */
export function zoneOf({ timeZone = systemTimeZone() }: DateOptions): TimeZone {
  return timeZoneOf(timeZone);
}
