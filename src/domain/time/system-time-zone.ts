import type { EpochMs } from '../../base/clock';
import { timeZoneIn } from './time-zone';
import { fixedOffsetName, fixedOffsetOf } from './zone-name';

interface SystemTimeZone {
  /** Name of the zone, in a form that `timeZoneOf` accepts. */
  readonly name: string;
  /** False if the machine's time zone has no IANA name, as with `TZ=CST-8` or an empty TZ. `name` is then the machine's fixed UTC offset, or UTC. */
  readonly isNamed: boolean;
}

/** Times in winter and summer at which offsets are compared, because a machine without a named zone may still use daylight saving time. */
const WINTER: EpochMs = Date.UTC(2026, 0, 1);
const SUMMER: EpochMs = Date.UTC(2026, 6, 1);

export function systemTimeZone(): string {
  return readSystemTimeZone().name;
}

export function readSystemTimeZone(
  named: string | null = Intl.DateTimeFormat().resolvedOptions().timeZone ?? null,
  minutesWestAt: (instant: EpochMs) => number = (instant) => new Date(instant).getTimezoneOffset(),
): SystemTimeZone {
  // With TZ=GMT+8, Intl names the zone +08:00 although the clock is eight hours behind UTC, because POSIX reverses the sign.
  const zone = named === null || fixedOffsetOf(named) !== null ? null : timeZoneIn(named);
  if (zone !== null) return { name: zone.name, isNamed: true };
  const minutes = 0 - minutesWestAt(WINTER);
  const isFixed = minutes === 0 - minutesWestAt(SUMMER);
  return { name: isFixed && minutes !== 0 ? fixedOffsetName(minutes) : 'UTC', isNamed: false };
}

/** Returns one warning if the machine's time zone has no IANA name; otherwise an empty array. */
export function unnamedZoneWarning({ name, isNamed }: SystemTimeZone): readonly string[] {
  if (isNamed) return [];
  return [
    `The time zone of this machine has no IANA name. ${name} is used instead, without daylight saving time. ` +
      "Set scheduler.timeZone, or the variable TZ to a name such as 'Europe/Berlin'.",
  ];
}
