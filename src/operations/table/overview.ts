import { z } from 'zod';
import type { Run } from '../../api/runs';
import { COUNTED, readClusterFigures, readClusterSteps } from '../cluster-figures';
import { keyView, timeView } from '../fields';
import { query, type Shown } from '../operation';
import { clusterLoadOf, clusterLoadView } from '../views/load-view';
import { withKeys } from '../views/plain';
import { outcomeField } from '../views/run-view';
import { triggerRow, triggerRowOf } from '../views/trigger-view';
import { nodeView } from './nodes';

const MINUTE_MS = 60_000;
const MINUTES = 60;
const RUNS = 1_000;
const GROUPS = 100;

const boundedCount = z.object({
  count: z.int(),
  isExact: z.boolean().describe('False if there are more items than the count.'),
});

const overdueView = z.object({
  job: keyView,
  trigger: keyView.nullable().describe('Null if the job is overdue.'),
  since: timeView,
  lastSuccess: timeView.nullable(),
});

const minuteView = z.object({
  begin: timeView,
  outcomes: z.partialRecord(outcomeField, z.int()).describe('Number of runs that ended in this minute, by outcome.'),
});

export const overviewShow = query({
  summary:
    'Shows the state of the cluster: nodes, throughput, lateness, success rate, backlog, and problems that need attention.',
  http: { method: 'GET', path: '/overview' },
  command: { words: ['overview'] },
  input: z.strictObject({}),
  output: z.object({
    now: timeView,
    nextFireTime: timeView.nullable().describe('Next fire time of all triggers; null if no trigger is waiting.'),
    executing: z.int().describe('Number of executing runs.'),
    backlog: boundedCount.describe('Waiting triggers whose fire time has passed, counted up to 1,000.'),
    waitingSince: timeView
      .nullable()
      .describe('Fire time of the oldest trigger in the backlog; null if the backlog is empty.'),
    deadLetters: boundedCount.describe('Number of dead letters, counted up to 200.'),
    inError: boundedCount.describe('Triggers in the state ERROR, counted up to 1,000.'),
    triggersInError: z.array(triggerRow).describe('The first ten triggers in the state ERROR.'),
    endedByCalendar: z
      .array(triggerRow)
      .describe(
        'Triggers that their calendar leaves without a fire time, at most ten. They fire again when it changes.',
      ),
    overdue: z.array(overdueView).describe('Overdue jobs and triggers, at most ten.'),
    pausedGroups: z.array(z.string()).describe('Paused trigger groups, at most 100.'),
    nodes: z.array(nodeView),
    runs: z.object({
      minutes: z.array(minuteView).describe('Minutes of the last hour in which runs ended, oldest first.'),
      isTruncated: z.boolean().describe('True if only the newest 1,000 runs were counted.'),
    }),
    load: clusterLoadView
      .nullable()
      .describe('Load of all nodes, as reported with their check-ins; null if no node reports its load.'),
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
    return {
      ...figures,
      now,
      triggersInError: figures.triggersInError.map(triggerRowOf),
      endedByCalendar: figures.endedByCalendar.map(triggerRowOf),
      overdue: overdue.map(withKeys),
      pausedGroups: [...pausedGroups].slice(0, GROUPS),
      runs: { minutes: minutesOf(runs.items), isTruncated: runs.next !== null },
      load: steps && clusterLoadOf(figures.nodes, steps),
    };
  },
});

function minutesOf(runs: readonly Run[]): readonly Shown<typeof minuteView>[] {
  const minutes = new Map<number, Partial<Record<Run['outcome'], number>>>();
  for (const { endTime, outcome } of runs) {
    const begin = Math.floor(endTime.getTime() / MINUTE_MS) * MINUTE_MS;
    const outcomes = minutes.get(begin) ?? {};
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    minutes.set(begin, outcomes);
  }
  return [...minutes].sort(([a], [b]) => a - b).map(([begin, outcomes]) => ({ begin, outcomes }));
}
