import type { EpochMs } from '../../base/clock';
import type { TimeZone } from './time-zone';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_AND_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** Parses an ISO-8601 date or time. Without an offset, it is a local time in the zone. Returns null for any other string. */
export function parseIsoTime(text: string, zone: TimeZone): EpochMs | null {
  const [, local, offset] = DATE_AND_TIME.exec(DATE.test(text) ? `${text}T00:00` : text) ?? [];
  if (local === undefined) return null;
  const wallClock = Date.parse(`${local}Z`);
  // Date.parse would accept 30 February as 2 March.
  if (Number.isNaN(wallClock) || !new Date(wallClock).toISOString().startsWith(local.slice(0, 16))) return null;
  if (offset === undefined) return zone.instantOf(wallClock);
  const time = Date.parse(local + offset);
  return Number.isNaN(time) ? null : time;
}
