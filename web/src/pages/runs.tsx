import type { OutputOf } from '../../../src/operations/operations';
import { serverNow } from '../state/clock';
import { route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { State } from '../ui/basics';
import { ChoiceFilter, Filters, Pages, SearchFilter } from '../ui/filters';
import { durationText, timeText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, NodeName, RunLink, TriggerLink } from '../ui/links';
import { type Column, ResultTable } from '../ui/table';

type Run = OutputOf<'runs.list'>['items'][number];

/** Outcomes of firings whose job did not begin. */
const NEVER_STARTED: ReadonlySet<string> = new Set(['misfired', 'vetoed']);

export const RUN_COLUMNS: readonly Column<Run>[] = [
  { name: 'Ended', cell: ({ runId, endTime }) => <RunLink id={runId}>{timeText(endTime)}</RunLink> },
  {
    name: 'Outcome',
    // The server replaces an unknown outcome with a valid one, and `unreadable` contains the original.
    cell: ({ outcome, unreadable }) => (unreadable?.includes('outcome:') ? '–' : <State of={outcome} />),
  },
  { name: 'Job', cell: ({ job }) => <JobLink job={job} /> },
  { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} />, isMinor: true },
  { name: 'Attempt', cell: ({ attempt }) => attempt, isNumber: true, isMinor: true },
  {
    name: 'Part',
    cell: ({ shard }) => (shard === null ? '' : `${shard.index + 1} of ${shard.count}`),
    isUsed: ({ shard }) => shard !== null,
    isNumber: true,
    isMinor: true,
  },
  {
    name: 'Duration',
    cell: ({ outcome, durationMs }) => (NEVER_STARTED.has(outcome) ? '–' : durationText(durationMs)),
    isNumber: true,
  },
  {
    name: 'Lateness',
    // A retry waits for the delay of its retry policy, which does not count as lateness.
    cell: ({ attempt, latenessMs }) => (attempt > 1 ? '–' : durationText(latenessMs)),
    isNumber: true,
    isMinor: true,
  },
  { name: 'Node', cell: ({ instanceId }) => <NodeName id={instanceId} />, isMinor: true },
  { name: 'Message', cell: ({ error, summary }) => <span class="clipped">{error ?? summary ?? ''}</span> },
];

const OUTCOMES = [
  'failed',
  'timedOut',
  'lost',
  'interrupted',
  'handedOver',
  'misfired',
  'skipped',
  'vetoed',
  'succeeded',
] as const;
const PERIODS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

export function runInput(query: URLSearchParams) {
  const outcome = OUTCOMES.find((each) => each === query.get('outcome'));
  const period = PERIODS[query.get('since') as keyof typeof PERIODS];
  const text = (name: string) => query.get(name) ?? undefined;
  return {
    search: text('search'),
    node: text('node'),
    job: text('job'),
    jobGroup: text('jobGroup'),
    trigger: text('trigger'),
    triggerGroup: text('triggerGroup'),
    occurrence: text('occurrence'),
    outcome: outcome === undefined ? undefined : [outcome],
    // Rounded to the minute, so that rendering again does not change the request.
    since:
      period === undefined ? undefined : new Date(Math.floor((serverNow() - period) / 60_000) * 60_000).toISOString(),
    after: text('after'),
    limit: 50,
  };
}

export function RunsPage() {
  const runs = useOperation('runs.list', runInput(route.value.query));
  return (
    <>
      <Heading title="Runs" />
      <RunFilters />
      <section class="panel" aria-label="Recorded runs">
        <ResultTable
          result={runs}
          caption="Recorded runs, newest first"
          columns={RUN_COLUMNS}
          keyOf={({ runId }) => runId}
          empty="No matching runs. Failed runs are recorded by default. Set history to all to record successful runs too."
        />
      </section>
      <Pages next={runs.data?.next} />
    </>
  );
}

export function RunFilters() {
  return (
    <Filters>
      <SearchFilter label="Job, trigger or error" />
      <ChoiceFilter
        label="Outcome"
        name="outcome"
        choices={[['', 'Any outcome'], ...OUTCOMES.map((each) => [each, each] as const)]}
      />
      <ChoiceFilter
        label="Ended"
        name="since"
        choices={[
          ['', 'Any time'],
          ['hour', 'Last hour'],
          ['day', 'Last day'],
          ['week', 'Last week'],
        ]}
      />
    </Filters>
  );
}
