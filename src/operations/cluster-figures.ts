import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { earliestOf } from '../base/clock';
import { type LoadStep, stepsOfCluster } from '../domain/node-load';
import type { SchedulerControl } from '../scheduler/control';
import type { FoundTrigger } from '../scheduler/control-reads';

/** Upper bounds for counting. A larger number would not change the picture, and would take longer to count. */
export const COUNTED = { backlog: 1_000, deadLetters: 200, shown: 10 } as const;

/** Triggers due more recently than this are about to fire. Milliseconds. */
const BACKLOG_AFTER_MS = 1_000;

/** End of the backlog: triggers that were due before it and still wait. */
export function backlogEnd(now: number): number {
  return now - BACKLOG_AFTER_MS;
}

/**
 * Counts the triggers in the backlog, and returns the time since which the first one has been waiting. Rejects with STORE_FAILURE or
 * SCHEDULER_STATE.
 */
export async function countBacklog(
  control: SchedulerControl,
): Promise<BoundedCount & { readonly since: number | null }> {
  const found = await control.readBacklog(backlogEnd(control.now()), COUNTED.backlog + 1);
  const count = Math.min(found.length, COUNTED.backlog);
  return { count, isExact: found.length <= COUNTED.backlog, since: found[0]?.nextFireTime ?? null };
}

/** A number that is counted only up to a bound. */
export interface BoundedCount {
  readonly count: number;
  /** False if there are more. */
  readonly isExact: boolean;
}

/** State of the whole cluster in figures. */
export interface ClusterFigures {
  readonly nodes: readonly NodeInfo[];
  readonly executing: number;
  readonly backlog: BoundedCount;
  /** Fire time of the trigger that has waited longest, or null if none waits. */
  readonly waitingSince: number | null;
  readonly deadLetters: BoundedCount;
  readonly inError: BoundedCount;
  /** The first triggers in ERROR. */
  readonly triggersInError: readonly FoundTrigger[];
  /** Time of the next firing, or null if no trigger waits. */
  readonly nextFireTime: number | null;
}

/**
 * Reads the load of all nodes in the last 15 minutes, by half minute, oldest first. Null if no node reports it. Rejects with STORE_FAILURE or
 * SCHEDULER_STATE.
 */
export async function readClusterSteps(control: SchedulerControl): Promise<readonly LoadStep[] | null> {
  const loads = await control.readLoads();
  return loads.length === 0 ? null : stepsOfCluster(loads, control.now());
}

/** Reads the cluster's figures. Each read is bounded, regardless of the stored amount. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function readClusterFigures(scheduler: Scheduler, control: SchedulerControl): Promise<ClusterFigures> {
  const [nodes, executing, backlog, deadLetters, inError, nextFireTime] = await Promise.all([
    scheduler.listNodes(),
    scheduler.listExecutingJobs(),
    countBacklog(control),
    scheduler.listDeadLetters({ limit: COUNTED.deadLetters }),
    control.pageTriggers({ states: ['ERROR'], sort: 'nextFireTime', take: COUNTED.shown }),
    readNextFireTime(control),
  ]);
  return {
    nodes,
    executing: executing.length,
    backlog: { count: backlog.count, isExact: backlog.isExact },
    waitingSince: backlog.since,
    deadLetters: { count: deadLetters.items.length, isExact: deadLetters.next === null },
    inError: inError.total ?? { count: inError.items.length, isExact: inError.next === null },
    triggersInError: inError.items,
    nextFireTime,
  };
}

/** Returns the next fire time, including triggers that a node has already reserved. */
async function readNextFireTime(control: SchedulerControl): Promise<number | null> {
  const firstOf = (state: 'WAITING' | 'ACQUIRED') =>
    control.pageTriggers({ states: [state], sort: 'nextFireTime', take: 1, omitTotal: true });
  const found = await Promise.all([firstOf('WAITING'), firstOf('ACQUIRED')]);
  return earliestOf(found.flatMap(({ items }) => items.map(({ trigger }) => trigger.nextFireTime))) ?? null;
}
