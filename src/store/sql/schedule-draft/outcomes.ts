import type { ScheduleOutcome } from '../../../domain/schedule-change';

/** What one step did; nothing deleted and no fire time unless said. */
export function outcome(
  status: ScheduleOutcome['status'],
  details?: Partial<Omit<ScheduleOutcome, 'status'>>,
): ScheduleOutcome {
  return { status, nextFireTime: null, deletedTriggers: [], deletedJobs: [], ...details };
}
