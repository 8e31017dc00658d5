import type { EpochMs } from '../base/clock';
import type { CalendarData } from './calendars/calendar';
import type { JobDetail } from './job-detail';
import type { Trigger } from './trigger';

/** A trigger reserved for this node; `fireInstanceId` names the reservation and fences everything done with it. */
export interface AcquiredTrigger {
  readonly trigger: Trigger;
  readonly fireInstanceId: string;
}

/** One firing: what the run shell needs to run the job. */
export interface TriggerFiring {
  readonly fireInstanceId: string;
  /** As it is after this firing: `nextFireTime` is the time after this one. */
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
  readonly calendar: CalendarData | null;
  readonly scheduledFireTime: EpochMs;
  readonly previousFireTime: EpochMs | null;
  readonly fireTime: EpochMs;
  /** Run again because the node that ran it before died. */
  readonly recovering: boolean;
}

/** What became of one acquired trigger. A `notFired` one owns no running job; the store has put it back already. */
export type FireResult =
  | { readonly status: 'fired'; readonly firing: TriggerFiring }
  | { readonly status: 'notFired'; readonly acquired: AcquiredTrigger; readonly reason: NotFiredReason };

/** `lost`: the reservation is no longer ours. `changed`: the trigger was replaced after it was acquired. */
export type NotFiredReason =
  | 'deleted'
  | 'paused'
  | 'blocked'
  | 'changed'
  | 'lost'
  | 'jobMissing'
  | 'calendarMissing'
  | 'invalid';
