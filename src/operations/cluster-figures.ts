import type { ExecutingJob, NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { type LoadStep, stepsOfCluster } from '../domain/node-load';
import { isEndedByCalendar } from '../domain/trigger-end';
import { COMPLETE_STATES, ERROR_STATES, UPCOMING_STATES } from '../domain/trigger-state';
import type { SchedulerControl } from '../scheduler/control';
import type { FoundTrigger } from '../scheduler/control-reads';

/** Maximum counts. Larger numbers would take longer to count without being more useful. `shown`: maximum number of triggers in ERROR to list. */
export const COUNTED = { backlog: 1_000, deadLetters: 200, shown: 10 } as const;

/** Lateness above which a waiting trigger counts as backlog, in milliseconds. A trigger with less lateness is about to fire. */
const BACKLOG_AFTER_MS = 1_000;

/** Returns the time before which a waiting trigger must have been due to count as backlog. */
export function backlogEnd(now: number): number {
  return now - BACKLOG_AFTER_MS;
}

/** Counts the backlog up to 1,000. `since` is the longest-waiting trigger's fire time, or null. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function countBacklog(
  control: SchedulerControl,
): Promise<BoundedCount & { readonly since: number | null }> {
  const found = await control.readBacklog(backlogEnd(control.now()), COUNTED.backlog + 1);
  const count = Math.min(found.length, COUNTED.backlog);
  return { count, isExact: found.length <= COUNTED.backlog, since: found[0]?.nextFireTime ?? null };
}

interface BoundedCount {
  readonly count: number;
  /** False if the count reached its bound and more items exist. */
  readonly isExact: boolean;
}

export interface FullNode {
  readonly instanceId: string;
  readonly workers: number;
  readonly longest: readonly ExecutingJob[];
}

export interface ClusterFigures {
  readonly nodes: readonly NodeInfo[];
  readonly executing: number;
  /** Nodes without a free worker, with their longest runs, up to 3 of each. */
  readonly fullNodes: readonly FullNode[];
  readonly backlog: BoundedCount;
  /** Fire time of the backlog's longest-waiting trigger, or null if the backlog is empty. */
  readonly waitingSince: number | null;
  readonly deadLetters: BoundedCount;
  readonly inError: BoundedCount;
  /** Triggers in the state ERROR, up to 10. */
  readonly triggersInError: readonly FoundTrigger[];
  /** Triggers that only their calendars leave without a fire time, up to 10. */
  readonly endedByCalendar: readonly FoundTrigger[];
  /** Earliest next fire time of all triggers, or null if none will fire. */
  readonly nextFireTime: number | null;
}

/** Load of all nodes for 15 minutes, in steps of 30 s, oldest first; null if none is published. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function readClusterSteps(control: SchedulerControl): Promise<readonly LoadStep[] | null> {
  const loads = await control.readLoads();
  return loads.length === 0 ? null : stepsOfCluster(loads, control.now());
}

/** Reads the figures of the cluster. The cost of each read is bounded, even if the store is large. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function readClusterFigures(scheduler: Scheduler, control: SchedulerControl): Promise<ClusterFigures> {
  const [nodes, executing, backlog, deadLetters, inError, endedByCalendar, nextFireTime] = await Promise.all([
    scheduler.listNodes(),
    scheduler.listExecutingJobs(),
    countBacklog(control),
    scheduler.listDeadLetters({ limit: COUNTED.deadLetters }),
    control.pageTriggers({ states: ERROR_STATES, sort: 'nextFireTime', take: COUNTED.shown }),
    readEndedByCalendar(control),
    readNextFireTime(control),
  ]);
  return {
    nodes,
    executing: executing.length,
    fullNodes: fullNodesOf(nodes, executing),
    backlog,
    waitingSince: backlog.since,
    deadLetters: { count: deadLetters.items.length, isExact: deadLetters.next === null },
    inError: inError.total ?? { count: inError.items.length, isExact: inError.next === null },
    triggersInError: inError.items,
    endedByCalendar,
    nextFireTime,
  };
}

function fullNodesOf(nodes: readonly NodeInfo[], executing: readonly ExecutingJob[]): readonly FullNode[] {
  return nodes.flatMap(({ instanceId, load }) => {
    const runs = executing.filter((run) => run.instanceId === instanceId && !run.isAbandoned);
    if (load === null || load.workers === 0 || runs.length < load.workers) return [];
    const longest = [...runs].sort((a, b) => a.fireTime.getTime() - b.fireTime.getTime()).slice(0, 3);
    return [{ instanceId, workers: load.workers, longest }];
  });
}

/** Maximum number of COMPLETE triggers to check. They are few: a trigger whose schedule has ended is deleted with its last firing. */
const MAX_COMPLETE = 200;

async function readEndedByCalendar(control: SchedulerControl): Promise<readonly FoundTrigger[]> {
  const query = { states: COMPLETE_STATES, sort: 'key', take: MAX_COMPLETE, omitTotal: true } as const;
  const { items } = await control.pageTriggers(query);
  const now = control.now();
  const isEnded = ({ trigger }: FoundTrigger) => trigger.unreadable === undefined && isEndedByCalendar(trigger, now);
  return items.filter(isEnded).slice(0, COUNTED.shown);
}

async function readNextFireTime(control: SchedulerControl): Promise<number | null> {
  const query = { states: UPCOMING_STATES, sort: 'nextFireTime', take: 1, omitTotal: true } as const;
  const { items } = await control.pageTriggers(query);
  return items[0]?.trigger.nextFireTime ?? null;
}
