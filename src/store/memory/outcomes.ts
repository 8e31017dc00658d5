import type { ScheduleOutcome } from '../../domain/schedule-change';

type Details = Partial<Omit<ScheduleOutcome, 'status'>>;

/** What one step did; nothing deleted and no fire time unless said. */
export function outcome(status: ScheduleOutcome['status'], details?: Details): ScheduleOutcome {
  return { status, nextFireTime: null, deletedTriggers: [], deletedJobs: [], ...details };
}

/** There was nothing under the key. */
export const NOT_FOUND: ScheduleOutcome = outcome('notFound');

/** The key was taken, and what is there was to be kept. */
export const KEPT: ScheduleOutcome = outcome('kept');
