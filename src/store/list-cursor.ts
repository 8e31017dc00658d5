import { readJson } from '../base/read-json';
import type { JobKey } from '../domain/keys';
import type { TriggerPlace } from './job-store';

/** Encodes the position after a job in a list of jobs. */
export function jobCursor({ name, group }: JobKey): string {
  return JSON.stringify([name, group]);
}

/** Decodes a cursor of `jobCursor`. Null for any other text. */
export function jobPlace(cursor: string): JobKey | null {
  const place = listIn(cursor);
  const [name, group] = place;
  return place.length === 2 && typeof name === 'string' && typeof group === 'string' ? { name, group } : null;
}

/** Encodes the position after a trigger in a list of triggers. */
export function triggerCursor(
  { key, kind, nextFireTime, priority, isDormant }: TriggerPlace,
  sort: 'key' | 'nextFireTime',
): string {
  if (sort === 'key') return jobCursor(key);
  return JSON.stringify([key.name, key.group, nextFireTime, priority, kind === 'AFTER', isDormant]);
}

/** Decodes a cursor of `triggerCursor`. Null for any other text, and for the cursor of another order. */
export function triggerPlace(cursor: string, sort: 'key' | 'nextFireTime'): TriggerPlace | null {
  if (sort === 'key') {
    const key = jobPlace(cursor);
    return key && { key, kind: 'SIMPLE', nextFireTime: null, priority: 0, isDormant: false };
  }
  const place = listIn(cursor);
  const [name, group, nextFireTime, priority, waits, isDormant] = place;
  const isFine =
    place.length === 6 &&
    [name, group].every((each) => typeof each === 'string') &&
    (nextFireTime === null || Number.isSafeInteger(nextFireTime)) &&
    Number.isSafeInteger(priority) &&
    typeof waits === 'boolean' &&
    typeof isDormant === 'boolean';
  if (!isFine) return null;
  return {
    key: { name: name as string, group: group as string },
    kind: waits ? 'AFTER' : 'SIMPLE',
    nextFireTime: nextFireTime as number | null,
    priority: priority as number,
    isDormant,
  };
}

function listIn(cursor: unknown): readonly unknown[] {
  const value = typeof cursor === 'string' ? readJson(cursor) : null;
  return Array.isArray(value) ? value : [];
}
