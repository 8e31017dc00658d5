import type { OutputOf } from '../../../src/operations/operations';
import { serverNow } from '../state/clock';
import { place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { State } from '../ui/basics';
import { ChoiceFilter, Filters, Pages, SearchFilter } from '../ui/filters';
import { durationText, timeText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, NodeName, RunLink, TriggerLink } from '../ui/links';
import { AskedTable, type Column } from '../ui/table';

type Run = OutputOf<'runs.list'>['items'][number];

/** Outcomes of firings whose job did not begin. */
const NEVER_BEGAN: ReadonlySet<string> = new Set(['misfired', 'vetoed']);

/** The columns of every list of runs. */
export const RUN_COLUMNS: readonly Column<Run>[] = [
  { name: 'Ended', cell: ({ runId, endTime }) => <RunLink id={runId}>{timeText(endTime)}</RunLink> },
  {
    name: 'Outcome',
    // An outcome that there is not is answered as another one, and named in `unreadable`.
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
    name: 'Took',
    cell: ({ outcome, durationMs }) => (NEVER_BEGAN.has(outcome) ? '–' : durationText(durationMs)),
    isNumber: true,
  },
  {
    name: 'Start delay',
    // A further attempt begins after a pause of its retries: that is no delay of the cluster.
    cell: ({ attempt, latenessMs }) => (attempt > 1 ? '–' : durationText(latenessMs)),
    isNumber: true,
    isMinor: true,
  },
  { name: 'Node', cell: ({ instanceId }) => <NodeName id={instanceId} />, isMinor: true },
  { name: 'Message', cell: ({ error, summary }) => <span class="clipped">{error ?? summary ?? ''}</span> },
];

const OUTCOMES = ['failed', 'timedOut', 'lost', 'interrupted', 'misfired', 'skipped', 'vetoed', 'succeeded'] as const;
const PERIODS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** What the filters of the address ask for. */
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
    // To the minute: a question that changes with every moment would be a new one each time.
    since:
      period === undefined ? undefined : new Date(Math.floor((serverNow() - period) / 60_000) * 60_000).toISOString(),
    after: text('after'),
    limit: 50,
  };
}

/** What ran, and how it ended. */
export function RunsPage() {
  const runs = useOperation('runs.list', runInput(place.value.query));
  return (
    <>
      <Heading title="Runs" />
      <RunFilters />
      <section class="panel" aria-label="Recorded runs">
        <AskedTable
          asked={runs}
          caption="Recorded runs, newest first"
          columns={RUN_COLUMNS}
          keyOf={({ runId }) => runId}
          empty="No recorded run matches. What succeeds is recorded where the history is set to all."
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
          ['', 'At any time'],
          ['hour', 'In the last hour'],
          ['day', 'In the last day'],
          ['week', 'In the last week'],
        ]}
      />
    </Filters>
  );
}
