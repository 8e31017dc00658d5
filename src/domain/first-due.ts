import type { EpochMs } from '../base/clock';
import type { RecoveredTrigger } from './catch-up';
import type { Trigger } from './trigger';

/*
 * A misfire moves the fire time of a trigger that has waited too long. With ageing, the trigger must keep the age that it has reached, because it
 * would otherwise start to wait anew at every misfire, and never overtake triggers of higher priorities. A store therefore remembers when the
 * trigger was first due, as long as its fire time is the one that the misfire has given it: a firing, a change of the schedule that moves the fire
 * time, and a Java node end the wait without writing anything else.
 */

/** First due time of a trigger whose fire time a misfire has moved. Valid while `nextFireTime` is the trigger's next fire time. */
export interface FirstDue {
  readonly nextFireTime: EpochMs;
  readonly firstDueTime: EpochMs;
}

/** Returns the first due time of a trigger; null if it has waited only since its next fire time. */
export function firstDueOf({ nextFireTime }: Pick<Trigger, 'nextFireTime'>, firstDue: FirstDue | null): EpochMs | null {
  return firstDue !== null && firstDue.nextFireTime === nextFireTime ? firstDue.firstDueTime : null;
}

/**
 * Returns the first due time of a trigger after misfire recovery, whichever rule has moved its fire time, and also if the rule skips the missed fire
 * time. A further misfire keeps the time. Null if there is nothing to remember: the trigger is unchanged or will not fire again, or catch-up runs
 * have taken over its missed fire times. `stored`: first due time before the recovery.
 */
export function firstDueAfterMisfire(
  before: Pick<Trigger, 'nextFireTime'>,
  { trigger, caughtUp }: Pick<RecoveredTrigger, 'trigger' | 'caughtUp'>,
  stored: EpochMs | null,
): FirstDue | null {
  const { nextFireTime } = trigger;
  const firstDueTime = stored ?? before.nextFireTime;
  if (nextFireTime === null || firstDueTime === null || caughtUp.length > 0) return null;
  return nextFireTime === before.nextFireTime ? null : { nextFireTime, firstDueTime };
}
