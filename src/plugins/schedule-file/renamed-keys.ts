import type { ScheduleFileReading } from './schedule-file-reading';
import type { TriggerFields } from './schedule-file-schema';
import type { Item } from './schedule-file-sections';

/** Keys of triggers, and what they were called before: both are read. */
const FORMER_KEYS = { startAt: 'startTime', endAt: 'endTime', misfire: 'misfireInstruction' } as const;

type RenamedKey = keyof typeof FORMER_KEYS;

/** A value and the key it was written under, by which its problems are placed. */
export interface Written {
  readonly key: string;
  readonly value: string;
}

/** What was written under the key or its former name, null for nothing. Reports a trigger that has both. */
export function readRenamed(
  reading: ScheduleFileReading,
  { path, fields }: Item<TriggerFields>,
  key: RenamedKey,
): Written | null {
  const former = FORMER_KEYS[key];
  const [value, formerValue] = [fields[key], fields[former]];
  if (value !== undefined && formerValue !== undefined) {
    reading.report({ path: [...path, former], expected: `only ${key}, which is its name now`, found: 'both' });
  }
  if (value !== undefined) return { key, value };
  return formerValue === undefined ? null : { key: former, value: formerValue };
}
