import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { earliestOf } from '../base/clock';
import { type LoadStep, stepsOfCluster } from '../domain/node-load';
import type { SchedulerControl } from '../scheduler/control';
import type { FoundTrigger } from '../scheduler/control-reads';

/** Up to where is counted: what there is more of is bad enough, and counting it would take ever longer. */
export const COUNTED = { backlog: 1_000, deadLetters: 200, shown: 10 } as const;

/** What was due less long ago is about to fire. Milliseconds. */
const BACKLOG_AFTER_MS = 1_000;

/** What was due before then, and waits, is the backlog. */
export function backlogEnd(now: number): number {
  return now - BACKLOG_AFTER_MS;
}

/** How many triggers the backlog has, and since when the first of them waits. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function countBacklog(
  control: SchedulerControl,
): Promise<BoundedCount & { readonly since: number | null }> {
  const found = await control.readBacklog(backlogEnd(control.now()), COUNTED.backlog + 1);
  const count = Math.min(found.length, COUNTED.backlog);
  return { count, isExact: found.length <= COUNTED.backlog, since: found[0]?.nextFireTime ?? null };
}

/** A number that is not counted to its end. */
export interface BoundedCount {
  readonly count: number;
  /** False: there are more. */
  readonly isExact: boolean;
}

/** How the whole cluster is doing. */
export interface ClusterFigures {
  readonly nodes: readonly NodeInfo[];
  readonly executing: number;
  readonly backlog: BoundedCount;
  /** When the trigger was due that has waited longest; null: none waits. */
  readonly waitingSince: number | null;
  readonly deadLetters: BoundedCount;
  readonly inError: BoundedCount;
  /** The first of those in ERROR. */
  readonly triggersInError: readonly FoundTrigger[];
  /** When the next trigger fires; null: none waits. */
  readonly nextFireTime: number | null;
}

/** What all nodes did in the last 15 minutes, by half minute, oldest first; null: no node tells. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function readClusterSteps(control: SchedulerControl): Promise<readonly LoadStep[] | null> {
  const loads = await control.readLoads();
  return loads.length === 0 ? null : stepsOfCluster(loads, control.now());
}

/** Reads them. Each of the readings is bounded, whatever is stored. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
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

/** Also of what a node has reserved for its time already. */
async function readNextFireTime(control: SchedulerControl): Promise<number | null> {
  const firstOf = (state: 'WAITING' | 'ACQUIRED') =>
    control.pageTriggers({ states: [state], sort: 'nextFireTime', take: 1, omitTotal: true });
  const found = await Promise.all([firstOf('WAITING'), firstOf('ACQUIRED')]);
  return earliestOf(found.flatMap(({ items }) => items.map(({ trigger }) => trigger.nextFireTime))) ?? null;
}
