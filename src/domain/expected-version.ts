import { SchedulerError } from '../base/errors';
import { calendarVersion, jobVersion, triggerVersion } from './definition-version';
import type { EditableSchedule } from './editable-schedule';
import { formatKey } from './keys';
import type { ChangeOf } from './schedule-change';

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
