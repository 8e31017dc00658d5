import type { EpochMs } from '../../base/clock';
import { timeZoneIn } from './time-zone';
import { fixedOffsetName, fixedOffsetOf } from './zone-name';

/** Time zone of this process. */
export interface SystemTimeZone {
  /** A name that `timeZoneOf` accepts. */
  readonly name: string;
  /** False if the machine names no zone, as with `TZ=CST-8` or an empty TZ. Then `name` is the offset that its clock shows, or UTC. */
  readonly isNamed: boolean;
}

/** Both halves of a year are checked, because a machine without a named zone may still change its clocks. */
const WINTER: EpochMs = Date.UTC(2026, 0, 1);
const SUMMER: EpochMs = Date.UTC(2026, 6, 1);

/** Returns the name of this process's time zone. */
export function systemTimeZone(): string {
  return readSystemTimeZone().name;
}

export function readSystemTimeZone(
  named: string | null = Intl.DateTimeFormat().resolvedOptions().timeZone ?? null,
  minutesWestAt: (instant: EpochMs) => number = (instant) => new Date(instant).getTimezoneOffset(),
): SystemTimeZone {
  // With TZ=GMT+8 the zone is named +08:00, although the clock shows eight hours less, by the POSIX meaning.
  const zone = named === null || fixedOffsetOf(named) !== null ? null : timeZoneIn(named);
  if (zone !== null) return { name: zone.name, isNamed: true };
  const minutes = 0 - minutesWestAt(WINTER);
  const isFixed = minutes === 0 - minutesWestAt(SUMMER);
  return { name: isFixed && minutes !== 0 ? fixedOffsetName(minutes) : 'UTC', isNamed: false };
}

/** Returns the warning for an unnamed zone; empty if it has a name. */
export function unnamedZoneWarning({ name, isNamed }: SystemTimeZone): readonly string[] {
  if (isNamed) return [];
  return [
    `The time zone of this machine has no IANA name. ${name} is used instead, without daylight saving time. ` +
      "Set scheduler.timeZone, or the variable TZ to a name such as 'Europe/Berlin'.",
  ];
}
