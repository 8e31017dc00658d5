import type { ScheduleOutcome } from '../../../../domain/schedule-change';

/** Shared by all outcomes: it crosses between the threads once. */
const NONE: readonly never[] = Object.freeze([]);

/** What one step did; nothing deleted and no fire time unless said. */
export function outcome(
  status: ScheduleOutcome['status'],
  details?: Partial<Omit<ScheduleOutcome, 'status'>>,
): ScheduleOutcome {
  return { status, nextFireTime: null, deletedTriggers: NONE, deletedJobs: NONE, ...details };
}
