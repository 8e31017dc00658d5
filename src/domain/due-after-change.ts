import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { catchUpGroup, oneShot } from './catch-up';
import { ignoresMisfires } from './misfire';
import type { SimpleTrigger, Trigger } from './trigger';
import { includedFireTimeAfter } from './trigger-behaviour';

/*
 * A change of a schedule drops nothing that was due. A fire time up to the change that has not fired, and that the new schedule has too, stays due.
 * Fire times up to the change that only one of the two schedules has do not fire.
 */

/** Fire times of one schedule that are compared. Later ones are treated as fire times of the new schedule alone. */
const MAX_COMPARED = 10_000;

/** Maximum number of due fire times that become one-shot triggers, as for catch-ups. */
const MAX_DUE = 1_000;

export interface DueAfterChange {
  /** Due fire time that the trigger keeps; null: none. */
  readonly nextFireTime: EpochMs | null;
  /** Earliest due fire time that only the stored schedule has; null: none. */
  readonly missedTime: EpochMs | null;
  /** One-shot triggers for the other due fire times, if the trigger itself would fire at times in between that only the new schedule has. */
  readonly due: readonly SimpleTrigger[];
}

const NONE: DueAfterChange = { nextFireTime: null, missedTime: null, due: [] };

interface ScheduleTimes {
  readonly stored: Trigger;
  readonly requested: Trigger;
  /** Calendar of the requested trigger. */
  readonly calendar: Calendar | null;
  readonly now: EpochMs;
}

/** Compares the due fire times of both schedules. The times of the stored schedule are compared without its calendar, except for the first. */
export function dueAfterChange({ stored, requested, calendar, now }: ScheduleTimes): DueAfterChange {
  const pending = stored.nextFireTime;
  if (pending === null || pending > now) return NONE;
  if (requested.startTime > now || (requested.endTime !== null && requested.endTime < pending)) {
    return { ...NONE, missedTime: pending };
  }
  const { common, hasOthers } = comparedTimes({ stored, requested, calendar, now }, pending);
  const [first] = common;
  const missedTime = first === pending ? null : pending;
  if (first === undefined) return { ...NONE, missedTime };
  if (!hasOthers) return { nextFireTime: first, missedTime, due: [] };
  // The trigger itself would also fire at the times that only the new schedule has.
  const isEach = ignoresMisfires(stored) || ignoresMisfires(requested) || requested.policy?.catchUp !== undefined;
  const times = isEach ? common.slice(-MAX_DUE) : common.slice(-1);
  const group = catchUpGroup(requested.key);
  return {
    nextFireTime: null,
    missedTime,
    due: times.map((time) => oneShot(requested, time, { group, startTime: now })),
  };
}

/** Due times of both schedules, ascending, and whether the new schedule has others after the first of them. */
function comparedTimes({ stored, requested, calendar, now }: ScheduleTimes, pending: EpochMs) {
  const common: EpochMs[] = [];
  let hasOthers = false;
  // The start of the new schedule does not limit what was due before: only its phase counts.
  const phase =
    requested.kind === 'CRON' ? { ...requested, startTime: Math.min(requested.startTime, pending) } : requested;
  let old: EpochMs | null = pending;
  let time = includedFireTimeAfter(phase, calendar, pending - 1, 'safe');
  for (let step = 0; time !== null && time <= now && step < MAX_COMPARED; step++) {
    while (old !== null && old < time) old = includedFireTimeAfter(stored, null, old, 'safe');
    if (old === time) common.push(time);
    else if (common.length > 0) hasOthers = true;
    time = includedFireTimeAfter(phase, calendar, time, 'safe');
  }
  return { common, hasOthers: hasOthers || (common.length > 0 && time !== null && time <= now) };
}
