import type { Scheduler } from '../api/scheduler';
import { calendars } from './calendars';
import { executions } from './executions';
import { nodes } from './nodes';
import { pausing } from './pausing';
import { reading } from './reading';
import { resuming } from './resuming';
import { running } from './running';
import { shorthand } from './schedule-shorthand';
import type { SchedulerParts } from './scheduler-parts';
import { scheduling } from './scheduling';
import { storedJobs } from './stored-jobs';
import { unscheduling } from './unscheduling';

/** The scheduler users hold, put together from one part per concern. Its methods need no `this`. */
export function quartzScheduler(parts: SchedulerParts): Scheduler {
  return {
    ...running(parts),
    ...scheduling(parts),
    ...storedJobs(parts),
    ...unscheduling(parts),
    ...shorthand(parts),
    ...pausing(parts),
    ...resuming(parts),
    ...reading(parts),
    ...calendars(parts),
    ...executions(parts),
    ...nodes(parts),
  };
}
