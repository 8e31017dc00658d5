import { SchedulerError } from '../base/errors';
import type { CalendarData } from './calendars/calendar';
import type { EditableSchedule } from './editable-schedule';
import type { JobDetail } from './job-detail';
import { formatKey } from './keys';
import type { ChangeOf } from './schedule-change';
import type { Trigger } from './trigger';

/*
 * A short text for what is stored under a key, by which somebody who has read it can say what it was: another definition has, for all that
 * matters, another version. What firing changes is no part of it. No secret: not for telling who wrote something.
 */

/** The version of a job; its data counts, also where its runs change it. */
export function jobVersion(job: JobDetail): string {
  return hashOf({ ...job, key: null });
}

/** The version of a trigger, whatever it has fired. */
export function triggerVersion(trigger: Trigger): string {
  const progress = { nextFireTime: null, previousFireTime: null, timesTriggered: null, ended: null };
  return hashOf({ ...trigger, ...progress, key: null });
}

/** The version of a calendar. */
export function calendarVersion(calendar: CalendarData): string {
  return hashOf(calendar);
}

/**
 * Throws CHANGED_MEANWHILE where what is stored is not what somebody has read: it has another version, or is not there any more, or cannot
 * be read here.
 */
export function requireVersion(schedule: EditableSchedule, change: ChangeOf<'expect'>): void {
  const stored = storedVersion(schedule, change);
  if (stored === change.version) return;
  const name = change.what === 'calendar' ? change.name : formatKey(change.key);
  const found = stored === null ? 'none that can be read here' : `version ${stored}`;
  throw new SchedulerError(
    'CHANGED_MEANWHILE',
    `Expected version ${change.version} of the ${change.what} '${name}', found ${found}. Read it again, and make the change to that.`,
  );
}

function storedVersion(schedule: EditableSchedule, change: ChangeOf<'expect'>): string | null {
  switch (change.what) {
    case 'job': {
      const detail = schedule.job(change.key)?.detail ?? null;
      return detail && jobVersion(detail);
    }
    case 'trigger': {
      const trigger = schedule.trigger(change.key)?.trigger ?? null;
      return trigger && triggerVersion(trigger);
    }
    case 'calendar': {
      const data = schedule.calendar(change.name)?.data ?? null;
      return data && calendarVersion(data);
    }
  }
}

/** Two hashes of 32 bits each, as 14 characters. */
function hashOf(value: unknown): string {
  const text = canonical(value);
  return [0x811c9dc5, 0x9e3779b9].map((seed) => mixed(text, seed).toString(36).padStart(7, '0')).join('');
}

/** JSON with the keys of every map in order: stores keep them in different ones. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`;
}

/** FNV-1a with a final mix, so that texts that differ in their last characters differ everywhere. */
function mixed(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
