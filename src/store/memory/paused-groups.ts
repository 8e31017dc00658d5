import type { TransitionContext } from '../../domain/trigger-state';
import { ALL_GROUPS_PAUSED } from '../job-store';
import type { JobEntry } from './entries';
import type { MemoryTables } from './memory-tables';

/** Whether triggers added to the group start paused. */
export function isGroupPaused(tables: MemoryTables, group: string): boolean {
  return tables.pausedGroups.has(group) || tables.pausedGroups.has(ALL_GROUPS_PAUSED);
}

/** What decides the next state of a trigger of this group and job. */
export function transitionContextOf(tables: MemoryTables, group: string, job: JobEntry): TransitionContext {
  return { jobExecuting: job.isBlocked, groupPaused: isGroupPaused(tables, group) };
}
