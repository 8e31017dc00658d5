import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { formatKey } from '../domain/keys';
import type { SchedulerControl } from '../scheduler/control';
import type { FoundTrigger } from '../scheduler/control-reads';
import type { ClusterFigures } from './cluster-figures';
import type { Draft, Drafts } from './finding';
import { instantAt } from './views/plain';

/** What was reserved for a time that is past for longer was forgotten. Milliseconds. */
const STUCK_AFTER_MS = 60_000;
const LOOKED_AT = 1_000;

function countText({ count, isExact }: { readonly count: number; readonly isExact: boolean }): string {
  return isExact ? String(count) : `more than ${count}`;
}

/** What is to be said of what is counted. */
export function figureFindings({
  backlog,
  waitingSince,
  inError,
  triggersInError,
  deadLetters,
}: ClusterFigures): Drafts {
  const since = waitingSince === null ? '' : `, the oldest since ${instantAt(waitingSince)}`;
  const first = triggersInError.map(({ trigger }) => formatKey(trigger.key)).join(', ');
  return {
    backlog: draftOf(backlog.count, {
      severity: 'warning',
      expected: 'triggers that fire at their time',
      found: `${countText(backlog)} triggers wait although their time has passed${since}.`,
      advice: 'See why with triggers explain: no node may have their types, or all workers are busy.',
    }),
    triggersInError: draftOf(inError.count, {
      severity: 'problem',
      expected: 'no trigger in the state ERROR',
      found: `${countText(inError)} triggers are in the state ERROR and do not fire: ${first}.`,
      advice: 'Find the cause in the log and mend it; then reset them.',
    }),
    deadLetters: draftOf(deadLetters.count, {
      severity: 'warning',
      expected: 'runs that succeed in the end',
      found: `${countText(deadLetters)} runs are dead letters.`,
      advice: 'Run them again when what they need works, or discard them.',
    }),
  };
}

function draftOf(count: number, draft: Draft): Draft | null {
  return count === 0 ? null : draft;
}

/** Types of the first stored jobs that no node says it has; a Java node may have any. */
export async function jobTypesFinding(nodes: readonly NodeInfo[], control: SchedulerControl): Promise<Draft | null> {
  if (nodes.length === 0 || nodes.some(({ jobTypes }) => jobTypes === null)) return null;
  const { items } = await control.pageJobs({ take: LOOKED_AT });
  const known = new Set(nodes.flatMap(({ jobTypes }) => jobTypes ?? []));
  const missing = [...new Set(items.map(({ jobType }) => jobType))].filter((type) => !known.has(type));
  return draftOf(missing.length, {
    severity: 'problem',
    expected: 'a node for each job type',
    found: `No node has registered these job types: ${missing.slice(0, 20).join(', ')}.`,
    advice: 'Register them, start a node that has them, or delete the jobs.',
  });
}

/** Triggers that are blocked by no execution, or reserved for a time that is long past. */
export async function findStuck(scheduler: Scheduler, control: SchedulerControl): Promise<readonly FoundTrigger[]> {
  const jobs = async () => (await scheduler.listExecutingJobs()).map(({ jobKey }) => formatKey(jobKey));
  // An execution may begin or end between two readings: only what has none before and after is stuck.
  const before = await jobs();
  const { items } = await control.pageTriggers({
    states: ['BLOCKED', 'PAUSED_BLOCKED', 'ACQUIRED'],
    sort: 'nextFireTime',
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

/** Null: nothing is stuck. */
export function stuckFinding(stuck: readonly FoundTrigger[]): Draft | null {
  const first = stuck.slice(0, 10).map(({ trigger }) => formatKey(trigger.key));
  return draftOf(stuck.length, {
    severity: 'problem',
    expected: 'triggers that a run or a node holds, where they are blocked or reserved',
    found: `${stuck.length} triggers are blocked by no run, or reserved for a time long past: ${first.join(', ')}.`,
    advice: 'Nodes repair this by themselves at their next sweep; a repair does it now.',
  });
}

/** Null: this node has met no row that it cannot read. */
export async function unreadableFinding(scheduler: Scheduler): Promise<Draft | null> {
  const rows = await scheduler.listUnreadable();
  const first = rows.slice(0, 10).map(({ what, group, name, cause }) => {
    return `${what} ${group === null ? name : formatKey({ group, name })} (${cause})`;
  });
  return draftOf(rows.length, {
    severity: 'problem',
    expected: 'rows that this node can read',
    found: `${rows.length} rows cannot be read by this node: ${first.join('; ')}.`,
    advice: 'Store them again, or leave them to the nodes that can read them.',
  });
}
