import type { EpochMs } from '../../../base/clock';

/** The earliest of the times, without those that are none; undefined when none is left. */
export function earliestOf(times: Iterable<EpochMs | null>): EpochMs | undefined {
  let earliest: EpochMs | undefined;
  for (const time of times) if (time !== null && (earliest === undefined || time < earliest)) earliest = time;
  return earliest;
}
