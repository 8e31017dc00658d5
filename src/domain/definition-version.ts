import { SchedulerError } from '../base/errors';
import { keyedDigest } from '../base/keyed-digest';
import type { CalendarData } from './calendars/calendar';
import type { EditableSchedule } from './editable-schedule';
import type { JobDetail } from './job-detail';
import { formatKey } from './keys';
import type { ChangeOf } from './schedule-change';
import type { Trigger } from './trigger';

/*
 * The version of a stored definition is a short string that shows which definition a caller has read. Firings do not change it. Collisions are
 * negligibly rare. The digest uses a secret key, so that secrets in job data cannot be guessed from the version.
 */

/** Returns the version of a job, including its data. A run that changes the stored data also changes the version. */
export function jobVersion(job: JobDetail, versionKey: string): string {
  return versionOf({ ...job, key: null }, versionKey);
}

/** Returns the version of a trigger. Firings do not change it. */
export function triggerVersion(trigger: Trigger, versionKey: string): string {
  const progress = { nextFireTime: null, previousFireTime: null, timesTriggered: null, ended: null };
  return versionOf({ ...trigger, ...progress, key: null }, versionKey);
}

export function calendarVersion(calendar: CalendarData, versionKey: string): string {
  return versionOf(calendar, versionKey);
}

/** Throws CHANGED_MEANWHILE if the stored object has another version, was deleted, or cannot be read by this node. */
export function requireVersion(schedule: EditableSchedule, change: ChangeOf<'expect'>): void {
  const stored = storedVersion(schedule, change);
  if (stored === change.version) return;
  const name = change.what === 'calendar' ? change.name : formatKey(change.key);
  const found = stored === null ? 'a version that this node cannot read' : `version ${stored}`;
  throw new SchedulerError(
    'CHANGED_MEANWHILE',
    `Expected version ${change.version} of the ${change.what} '${name}', found ${found}. Read it again, and repeat the change.`,
  );
}

function storedVersion(schedule: EditableSchedule, change: ChangeOf<'expect'>): string | null {
  switch (change.what) {
    case 'job': {
      const detail = schedule.job(change.key)?.detail ?? null;
      return detail && jobVersion(detail, change.versionKey);
    }
    case 'trigger': {
      const trigger = schedule.trigger(change.key)?.trigger ?? null;
      return trigger && triggerVersion(trigger, change.versionKey);
    }
    case 'calendar': {
      const data = schedule.calendar(change.name)?.data ?? null;
      return data && calendarVersion(data, change.versionKey);
    }
  }
}

function versionOf(value: unknown, versionKey: string): string {
  return keyedDigest(canonical(value), versionKey);
}

/** Returns JSON with sorted keys, because stores return keys in different orders. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`;
}
