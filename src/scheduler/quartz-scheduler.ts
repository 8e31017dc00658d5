import type { Scheduler } from '../api/scheduler';
import { declareMethods } from './declare-methods';
import { executionMethods } from './execution-methods';
import { lifecycleMethods } from './lifecycle-methods';
import { pauseMethods } from './pause-methods';
import { readMethods } from './read-methods';
import { calendarMethods, deleteMethods, jobMethods, scheduleMethods } from './schedule-methods';
import type { SchedulerParts } from './scheduler-parts';

/** The scheduler that users hold. Its methods need no `this`. */
export function quartzScheduler(parts: SchedulerParts): Scheduler {
  return {
    ...lifecycleMethods(parts),
    ...scheduleMethods(parts),
    ...jobMethods(parts),
    ...deleteMethods(parts),
    ...declareMethods(parts),
    ...pauseMethods(parts),
    ...readMethods(parts),
    ...calendarMethods(parts),
    ...executionMethods(parts),
  };
}
