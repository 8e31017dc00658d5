import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { formatKey } from '../domain/keys';
import type { SchedulerControl } from '../scheduler/control';
import type { FoundTrigger } from '../scheduler/control-reads';
import { type ClusterFigures, readClusterFigures } from './cluster-figures';

/** What may be found. Stable for ever. */
export const FINDING_IDS = [
  'notReady',
  'nodesOverdue',
  'javaNodes',
  'versions',
  'clock',
  'workers',
  'backlog',
  'jobTypes',
  'triggersInError',
  'stuckTriggers',
  'orphans',
  'unreadable',
  'deadLetters',
] as const;

/** What can be repaired from here. */
export const REPAIRS = ['triggersInError', 'stuckTriggers'] as const;

export interface Finding {
  readonly id: (typeof FINDING_IDS)[number];
  /** `problem`: something does not fire; `warning`: something may not, before long; `note`: worth to know. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly found: string;
  readonly advice: string;
  readonly isRepairable: boolean;
}

/** Beyond this, leases and misfires are judged wrongly beside Java nodes. Milliseconds. */
const MAX_CLOCK_OFFSET_MS = 3_000;
/** What was reserved for a time that is past for longer was forgotten. Milliseconds. */
const STUCK_AFTER_MS = 60_000;
const LOOKED_AT = 1_000;

type Draft = Omit<Finding, 'id' | 'isRepairable'>;

/** Everything that looks wrong, the worst first; empty: nothing. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function findFaults(scheduler: Scheduler, control: SchedulerControl): Promise<readonly Finding[]> {
  const figures = await readClusterFigures(scheduler, control);
  const found: Readonly<Record<Finding['id'], Draft | null>> = {
    notReady: await notReady(scheduler),
    ...ofNodes(figures.nodes),
    clock: clockFault(await control.readClockOffset()),
    workers: workersFault(control.readRuntime()),
    ...ofFigures(figures),
    jobTypes: await jobTypesFault(figures.nodes, control),
    stuckTriggers: stuckFault(await findStuck(scheduler, control)),
    orphans: orphansFault(await control.findOrphans()),
    unreadable: await unreadableFault(scheduler),
  };
  const rank = { problem: 0, warning: 1, note: 2 };
  return FINDING_IDS.flatMap((id) => {
    const draft = found[id];
    return draft === null ? [] : [{ id, ...draft, isRepairable: REPAIRS.some((each) => each === id) }];
  }).sort((a, b) => rank[a.severity] - rank[b.severity]);
}

async function notReady(scheduler: Scheduler): Promise<Draft | null> {
  const { isReady, isStarted, isStoreReachable, isCheckInFresh, isDraining } = await scheduler.health();
  if (isReady) return null;
  const causes = [
    !isStarted && 'it is not started',
    !isStoreReachable && 'its store does not answer',
    isStarted && !isCheckInFresh && 'its lease has run out',
    isDraining && 'it drains',
  ].filter((each) => each !== false);
  return {
    severity: isStarted && !isDraining ? 'problem' : 'note',
    found: `This node does not fire: ${causes.join(', ')}.`,
    advice: 'Start or undrain it if it is to fire; otherwise ask a node that does.',
  };
}

function ofNodes(nodes: readonly NodeInfo[]) {
  const overdue = nodes.filter(({ state }) => state === 'overdue');
  const java = nodes.filter(({ isJava }) => isJava);
  const versions = [...new Set(nodes.flatMap(({ version }) => version ?? []))];
  return {
    nodesOverdue: overdue.length === 0 ? null : overdueFault(overdue),
    javaNodes: java.length === 0 ? null : javaFault(java),
    versions: versions.length < 2 ? null : versionsFault(versions),
  };
}

function namesOf(nodes: readonly NodeInfo[]): string {
  return nodes.map(({ instanceId }) => instanceId).join(', ');
}

function overdueFault(nodes: readonly NodeInfo[]): Draft {
  return {
    severity: 'warning',
    found: `These nodes do not check in: ${namesOf(nodes)}.`,
    advice:
      'The others take over what they hold. If they are meant to run, look at their logs and their way to the database.',
  };
}

function javaFault(nodes: readonly NodeInfo[]): Draft {
  return {
    severity: 'note',
    found: `Nodes of the Java Quartz share the tables: ${namesOf(nodes)}.`,
    advice: 'Keep the clocks together, and expect what only Java can read to fire there alone.',
  };
}

function versionsFault(versions: readonly string[]): Draft {
  return {
    severity: 'note',
    found: `Nodes run different versions: ${versions.join(', ')}.`,
    advice: 'That is fine during an update; otherwise bring all nodes to one version.',
  };
}

function clockFault(offset: number | null): Draft | null {
  if (offset === null || Math.abs(offset) <= MAX_CLOCK_OFFSET_MS) return null;
  return {
    severity: 'warning',
    found: `This machine's clock is ${Math.round(Math.abs(offset) / 1_000)} s ${offset > 0 ? 'behind' : 'ahead of'} the database's.`,
    advice: 'Let both be set by the same time service (NTP).',
  };
}

function workersFault({ workers, busyWorkers }: { readonly workers: number; readonly busyWorkers: number }) {
  if (workers === 0 || busyWorkers < workers) return null;
  return {
    severity: 'warning',
    found: `All ${workers} workers of this node are busy.`,
    advice: 'Raise threadPool.threadCount, or add a node, if triggers fire late.',
  } as const;
}

function countText({ count, isExact }: { readonly count: number; readonly isExact: boolean }): string {
  return isExact ? String(count) : `more than ${count}`;
}

function ofFigures({ backlog, waitingSince, inError, triggersInError, deadLetters }: ClusterFigures) {
  const since = waitingSince === null ? '' : `, the oldest since ${new Date(waitingSince).toISOString()}`;
  const first = triggersInError.map(({ trigger }) => formatKey(trigger.key)).join(', ');
  return {
    backlog: draftOf(backlog.count, {
      severity: 'warning',
      found: `${countText(backlog)} triggers wait although their time has passed${since}.`,
      advice: 'See why with triggers explain: no node may have their types, or all workers are busy.',
    }),
    triggersInError: draftOf(inError.count, {
      severity: 'problem',
      found: `${countText(inError)} triggers are in the state ERROR and do not fire: ${first}.`,
      advice: 'Find the cause in the log and mend it; then reset them.',
    }),
    deadLetters: draftOf(deadLetters.count, {
      severity: 'warning',
      found: `${countText(deadLetters)} runs are dead letters.`,
      advice: 'Run them again when what they need works, or discard them.',
    }),
  };
}

function draftOf(count: number, draft: Draft): Draft | null {
  return count === 0 ? null : draft;
}

/** Types of the first stored jobs that no node says it has; a Java node may have any. */
async function jobTypesFault(nodes: readonly NodeInfo[], control: SchedulerControl): Promise<Draft | null> {
  if (nodes.length === 0 || nodes.some(({ jobTypes }) => jobTypes === null)) return null;
  const { items } = await control.pageJobs({ take: LOOKED_AT });
  const known = new Set(nodes.flatMap(({ jobTypes }) => jobTypes ?? []));
  const missing = [...new Set(items.map(({ jobType }) => jobType))].filter((type) => !known.has(type));
  return draftOf(missing.length, {
    severity: 'problem',
    found: `No node has registered these job types: ${missing.slice(0, 20).join(', ')}.`,
    advice: 'Register them, start a node that has them, or delete the jobs.',
  });
}

/** Triggers that are blocked by no execution, or reserved for a time that is long past. */
async function findStuck(scheduler: Scheduler, control: SchedulerControl): Promise<readonly FoundTrigger[]> {
  const jobs = async () => (await scheduler.listExecutingJobs()).map(({ jobKey }) => formatKey(jobKey));
  // An execution may begin or end between two readings: only what has none before and after is stuck.
  const before = await jobs();
  const { items } = await control.pageTriggers({
    states: ['BLOCKED', 'PAUSED_BLOCKED', 'ACQUIRED'],
    sort: 'key',
    take: LOOKED_AT,
  });
  const executing = new Set([...before, ...(await jobs())]);
  const longPast = control.now() - STUCK_AFTER_MS;
  return items.filter(({ trigger, state }) =>
    state === 'ACQUIRED'
      ? trigger.nextFireTime !== null && trigger.nextFireTime < longPast
      : !executing.has(formatKey(trigger.jobKey)),
  );
}

function stuckFault(stuck: readonly FoundTrigger[]): Draft | null {
  const first = stuck.slice(0, 10).map(({ trigger }) => formatKey(trigger.key));
  return draftOf(stuck.length, {
    severity: 'problem',
    found: `${stuck.length} triggers are blocked by no run, or reserved for a time long past: ${first.join(', ')}.`,
    advice: 'Nodes repair this by themselves at their next sweep; a repair does it now.',
  });
}

function orphansFault(orphans: readonly string[]): Draft | null {
  return draftOf(orphans.length, {
    severity: 'warning',
    found: `These ids hold firings, and no node has them: ${orphans.slice(0, 10).join(', ')}.`,
    advice: 'A started node recovers them when the lease they may have had is over.',
  });
}

async function unreadableFault(scheduler: Scheduler): Promise<Draft | null> {
  const rows = await scheduler.listUnreadable();
  const first = rows.slice(0, 10).map(({ what, group, name, cause }) => {
    return `${what} ${group === null ? name : formatKey({ group, name })} (${cause})`;
  });
  return draftOf(rows.length, {
    severity: 'problem',
    found: `${rows.length} rows cannot be read by this node: ${first.join('; ')}.`,
    advice: 'Store them again, or leave them to the nodes that can read them.',
  });
}
