import { z } from 'zod';
import type { ListedOverdue } from '../../api/reading';
import type { Run } from '../../api/runs';
import { toDate } from '../../api/trigger';
import { COUNTED, readClusterFigures, readClusterSteps } from '../cluster-figures';
import { instant, keyView } from '../fields';
import { operation } from '../operation';
import { clusterLoadOf, clusterLoadView } from '../views/load-view';
import { instantAt, instantOf } from '../views/plain';
import { outcomeField } from '../views/run-view';
import { triggerRow, triggerRowOf } from '../views/trigger-view';
import { nodeOf, nodeView } from './nodes';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** How many of the newest runs are looked at. */
const RUNS = 1_000;
/** How many paused groups are named. */
const GROUPS = 100;

const boundedCount = z.object({ count: z.int(), isExact: z.boolean().describe('False: there are more.') });

const overdueView = z.object({
  job: keyView,
  trigger: keyView.nullable().describe('Null: the job is meant.'),
  since: instant,
  lastSuccess: instant.nullable(),
});

const minuteView = z.object({
  begin: instant,
  outcomes: z.partialRecord(outcomeField, z.int()).describe('How many runs ended so.'),
});

export const overviewShow = operation({
  summary:
    'Shows how the cluster is doing: nodes, throughput, lateness, success rate, what waits, what needs attention.',
  role: 'viewer',
  effect: 'reads',
  http: { method: 'GET', path: '/overview' },
  command: { words: ['overview'] },
  input: z.strictObject({}),
  output: z.object({
    now: instant,
    nextFireTime: instant.nullable().describe('When the next trigger fires; null: none waits.'),
    executing: z.int().describe('Runs that execute now.'),
    backlog: boundedCount.describe('Triggers that wait although their time has passed, counted up to 1,000.'),
    waitingSince: instant.nullable().describe('When the one was due that has waited longest; null: none waits.'),
    deadLetters: boundedCount.describe('Counted up to 200.'),
    inError: boundedCount.describe('Triggers in the state ERROR, counted up to 1,000.'),
    triggersInError: z.array(triggerRow).describe('The first ten of them.'),
    overdue: z.array(overdueView).describe('Expectations that are not met, at most ten.'),
    pausedGroups: z.array(z.string()).describe('The groups of triggers that are paused as groups, at most a hundred.'),
    nodes: z.array(nodeView),
    runs: z.object({
      minutes: z.array(minuteView).describe('The minutes of the last hour in which runs ended, oldest first.'),
      isCut: z.boolean().describe('Only the newest 1,000 runs were looked at.'),
    }),
    load: clusterLoadView
      .nullable()
      .describe('What all nodes of the cluster do, as they said it with their check-ins; null: none says it.'),
  }),
  async run({ scheduler, control }) {
    const now = control.now();
    const begin = Math.floor(now / MINUTE_MS) * MINUTE_MS - (MINUTES - 1) * MINUTE_MS;
    const [figures, overdue, pausedGroups, runs, steps] = await Promise.all([
      readClusterFigures(scheduler, control),
      scheduler.listOverdue({ limit: COUNTED.shown }),
      scheduler.getPausedTriggerGroups(),
      control.recentRuns({ since: begin, take: RUNS }),
      readClusterSteps(control),
    ]);
    const { nodes, triggersInError, nextFireTime, waitingSince, ...counts } = figures;
    const { executing, backlog, deadLetters, inError } = counts;
    return {
      now: instantAt(now),
      nextFireTime: instantOf(toDate(nextFireTime)),
      waitingSince: instantOf(toDate(waitingSince)),
      executing,
      backlog: { ...backlog },
      deadLetters: { ...deadLetters },
      inError: { ...inError },
      triggersInError: triggersInError.map(triggerRowOf),
      overdue: overdue.map(overdueOf),
      pausedGroups: [...pausedGroups].slice(0, GROUPS),
      nodes: nodes.map(nodeOf),
      runs: { minutes: minutesOf(runs.items), isCut: runs.next !== null },
      load: steps && clusterLoadOf(nodes, steps),
    };
  },
});

function overdueOf({ jobKey, triggerKey, since, lastSuccess }: ListedOverdue): z.input<typeof overdueView> {
  return {
    job: { ...jobKey },
    trigger: triggerKey && { ...triggerKey },
    since: instantOf(since),
    lastSuccess: instantOf(lastSuccess),
  };
}

function minutesOf(runs: readonly Run[]): z.input<typeof minuteView>[] {
  const minutes = new Map<number, Partial<Record<Run['outcome'], number>>>();
  for (const { endTime, outcome } of runs) {
    const begin = Math.floor(endTime.getTime() / MINUTE_MS) * MINUTE_MS;
    const outcomes = minutes.get(begin) ?? {};
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    minutes.set(begin, outcomes);
  }
  return [...minutes].sort(([a], [b]) => a - b).map(([begin, outcomes]) => ({ begin: instantAt(begin), outcomes }));
}
