import type { Trigger } from '../trigger';

/** What every trigger has, whatever its schedule. */
type CommonField =
  | 'key'
  | 'jobKey'
  | 'description'
  | 'data'
  | 'priority'
  | 'startTime'
  | 'endTime'
  | 'calendarName'
  | 'nextFireTime'
  | 'previousFireTime';

/** What a trigger of one kind has besides: its schedule. */
export type ScheduleOf<T extends Trigger> = Omit<T, CommonField>;

/** Makes the schedule of a trigger; `cronSchedule`, `simpleSchedule` … return one. */
export interface ScheduleBuilder<T extends Trigger = Trigger> {
  /** Throws INVALID_ARGUMENT when the parts do not fit together. */
  build(): ScheduleOf<T>;
}
