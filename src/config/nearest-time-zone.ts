import { nearestName } from './nearest-name';

/** Every name a time zone may be suggested by. */
export function timeZoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}

/** The time zone most like `written`, or null when none is close enough to be what was meant. */
export function nearestTimeZone(written: string): string | null {
  return nearestName(written, timeZoneNames());
}
